// See fake_cublas.h.
#include "support/gpu/fake_cublas.h"

#include "comm/float_types.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_memory.h"
#include "support/gpu/fake_stream.h"

#include <chrono>
#include <cstdint>
#include <optional>

struct cublasContext {
  int device = 0;
  std::optional<cudaStream_t> stream{};
};

namespace linerate::cuda {
namespace {

constexpr int kNotInitialized = 1, kInvalidValue = 7;

int current_gpu() {
  int device = 0;
  (void)fake_cuda().get_device(&device);
  return device;
}

struct GpuMatrix {
  const void* data = nullptr;
  cudaDataType type{};
  int ld = 0;

  bool fits(int rows, int gpu) const {
    constexpr std::uintptr_t kAlignment = 16;  // without it the library has no fast kernel
    return ld >= rows && (type == CUDA_R_16BF || type == CUDA_R_16F) &&
           reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0 && fake_device_of(data) == gpu;
  }
};

template <typename T>
void multiply(int n, const GpuMatrix& a, const GpuMatrix& b, const GpuMatrix& c) {
  const auto* const from_a = static_cast<const T*>(a.data);
  const auto* const from_b = static_cast<const T*>(b.data);
  auto* const to = static_cast<T*>(const_cast<void*>(c.data));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      float sum = 0;
      for (int p = 0; p < n; ++p)
        sum += static_cast<float>(from_a[i + p * a.ld]) * static_cast<float>(from_b[p + j * b.ld]);
      to[i + j * c.ld] = T(sum);
    }
}

// Takes some time of the GPU, so that other work is beside it. Large ones are not computed.
FakeWork product(int n, const GpuMatrix& a, const GpuMatrix& b, const GpuMatrix& c) {
  constexpr std::chrono::microseconds kTime(100);
  constexpr int kMostRows = 64;
  return [=]() -> FakeTask {
    return [=, end = std::optional<std::chrono::steady_clock::time_point>()]() mutable {
      if (!end) end = std::chrono::steady_clock::now() + kTime;
      if (std::chrono::steady_clock::now() < *end) return false;
      if (n > kMostRows) return true;
      if (a.type == CUDA_R_16BF)
        multiply<BFloat16>(n, a, b, c);
      else
        multiply<Half>(n, a, b, c);
      return true;
    };
  };
}

int gemm_ex(cublasContext* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
            const void* a, cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
            int ldb, const void* beta, void* c, cudaDataType c_type, int ldc, int compute_type,
            int algorithm) {
  if (!handle->stream) return kNotInitialized;
  const GpuMatrix matrix_a{a, a_type, lda}, matrix_b{b, b_type, ldb}, matrix_c{c, c_type, ldc};
  const bool square = m == n && k == n && op_a == kCublasNotTransposed && op_b == op_a;
  const bool same = a_type == b_type && a_type == c_type;
  const bool all_fit = matrix_a.fits(n, handle->device) && matrix_b.fits(n, handle->device) &&
                       matrix_c.fits(n, handle->device);
  const bool plain = *static_cast<const float*>(alpha) == 1 &&
                     *static_cast<const float*>(beta) == 0 && compute_type == kCublasSumsFloat32 &&
                     algorithm == kCublasOwnChoice;
  if (!square || !same || !all_fit || !plain || handle->device != current_gpu())
    return kInvalidValue;
  fake_stream(*handle->stream).enqueue(product(n, matrix_a, matrix_b, matrix_c));
  return kCublasSuccess;
}

}  // namespace

const CublasApi& fake_cublas() {
  static const CublasApi kApi{.create =
                                  [](cublasContext** handle) {
                                    *handle = new cublasContext{.device = current_gpu()};
                                    return kCublasSuccess;
                                  },
                              .destroy =
                                  [](cublasContext* handle) {
                                    delete handle;
                                    return kCublasSuccess;
                                  },
                              .set_stream =
                                  [](cublasContext* handle, cudaStream_t stream) {
                                    handle->stream = stream;
                                    return kCublasSuccess;
                                  },
                              .gemm_ex = gemm_ex,
                              .status_string = [](int) { return "a fake status"; }};
  return kApi;
}

}  // namespace linerate::cuda
