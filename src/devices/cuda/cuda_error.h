// Failures of the CUDA runtime as errors of ours.
#pragma once

#include "base/error.h"
#include "devices/cuda/cuda_api.h"

#include <string>
#include <string_view>

namespace linerate::cuda {

// A call failed; `code` says how.
class CudaError : public Error {
 public:
  CudaError(const CudaApi& api, cudaError_t code, std::string_view call,
            std::source_location where = std::source_location::current());

  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// Throws CudaError unless `code` is cudaSuccess. `call` is the function's name in CUDA.
void check_cuda(const CudaApi& api, cudaError_t code, std::string_view call,
                std::source_location where = std::source_location::current());

// "cudaStreamQuery on GPU 3": a process may have many, and its errors come from any of them.
std::string on_gpu(std::string_view call, int device);

// 12040 -> "12.4".
std::string version_text(int version);

// Throws Unavailable, in one sentence with what is missing, unless there are a driver and a GPU
// that this program may use. Yields the number of GPUs.
int require_gpus(const CudaApi& api);

}  // namespace linerate::cuda
