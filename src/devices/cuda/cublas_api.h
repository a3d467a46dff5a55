// The calls of cuBLAS that linerate makes, as a table: of a library loaded at run time, or a
// test's. They are declared here, as they have been from CUDA 11 on, so that no build needs
// cuBLAS's headers.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <span>
#include <string>
#include <vector>

struct cublasContext;  // a handle, as the library has it

namespace linerate::cuda {

// cuBLAS's values of what is passed.
inline constexpr int kCublasSuccess = 0;
inline constexpr int kCublasNotTransposed = 0;  // CUBLAS_OP_N
inline constexpr int kCublasSumsFloat32 = 68;   // CUBLAS_COMPUTE_32F
inline constexpr int kCublasOwnChoice = -1;     // CUBLAS_GEMM_DEFAULT

// Each yields a status, which kCublasSuccess is alone in being good. Matrices are column-major.
struct CublasApi {
  // For the device that is current.
  int (*create)(cublasContext** handle) = nullptr;
  int (*destroy)(cublasContext* handle) = nullptr;
  // Of the calls that follow.
  int (*set_stream)(cublasContext* handle, cudaStream_t stream) = nullptr;
  // Enqueues C = alpha op(A) op(B) + beta C: op(A) is m x k, op(B) k x n; columns begin every lda,
  // ldb, ldc elements. alpha and beta are floats of the host.
  int (*gemm_ex)(cublasContext* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                 const void* a, cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                 int ldb, const void* beta, void* c, cudaDataType c_type, int ldc, int compute_type,
                 int algorithm) = nullptr;
  const char* (*status_string)(int status) = nullptr;

  std::string file{};  // that was opened; empty for a test's
};

// Where libcublas may be: as the dynamic linker finds it, where pip and the toolkit put it beside
// the file of NCCL (unless that is empty), and where the toolkit is by default. That of the CUDA
// which this is built with comes before others.
std::vector<std::string> cublas_files(const std::string& nccl_file = {});

// Opens the first of `files` that can be; it stays open. Throws Unavailable, with what to do, where
// none can, or where it is something else. A file that is there and does not load is named before
// one that is missing.
CublasApi load_cublas(std::span<const std::string> files);

}  // namespace linerate::cuda
