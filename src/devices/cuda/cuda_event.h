// A CUDA event, owned.
#pragma once

#include "devices/cuda/cuda_error.h"

#include <utility>

namespace linerate::cuda {

// Of the device that is current when it is made; with timing.
class CudaEvent {
 public:
  explicit CudaEvent(const CudaApi& api) : api_(&api) {
    check_cuda(api, api.event_create_with_flags(&event_, cudaEventDefault),
               "cudaEventCreateWithFlags");
  }
  CudaEvent(CudaEvent&& other) noexcept
      : api_(other.api_), event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&&) = delete;
  ~CudaEvent() {
    if (event_ != nullptr) (void)api_->event_destroy(event_);
  }

  cudaEvent_t get() const { return event_; }

 private:
  const CudaApi* api_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace linerate::cuda
