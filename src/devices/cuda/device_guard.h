// The current CUDA device of a thread, for a scope.
#pragma once

#include "devices/cuda/cuda_error.h"

namespace linerate::cuda {

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
