// Failures of the CUDA runtime as errors of ours.
#pragma once

#include "base/error.h"
#include "devices/cuda/cuda_api.h"

#include <string>
#include <string_view>

namespace linerate::cuda {

// A call failed.
class CudaError : public Error {
 public:
  CudaError(const CudaApi& api, cudaError_t code, std::string_view call,
            std::source_location where = std::source_location::current());
};

// Throws CudaError unless `code` is cudaSuccess, and Unavailable where this build has no kernel for
// the GPU. `call` is the function's name in CUDA.
void check_cuda(const CudaApi& api, cudaError_t code, std::string_view call,
                std::source_location where = std::source_location::current());

// "cudaStreamQuery on GPU 3": a process may have many, and its errors come from any of them.
std::string on_gpu(std::string_view call, int device);

// 12040 -> "12.4".
std::string version_text(int version);

// Throws Unavailable, in one sentence with what is missing, unless there are a driver and a GPU
// that this program may use. Yields the number of GPUs.
int require_gpus(const CudaApi& api);

// Of GPU `device`: 90 of sm_90. Throws CudaError.
int compute_capability(const CudaApi& api, int device);

// Makes `device` current for the calling thread until the end of this object.
class DeviceGuard {
 public:
  DeviceGuard(const CudaApi& api, int device) : api_(api) {
    check_cuda(api_, api_.get_device(&before_), "cudaGetDevice");
    if (device != before_) check_cuda(api_, api_.set_device(device), "cudaSetDevice");
    changed_ = device != before_;
  }
  ~DeviceGuard() {
    if (changed_) (void)api_.set_device(before_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  const CudaApi& api_;
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace linerate::cuda
