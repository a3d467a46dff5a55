// A point in time of a CUDA stream, owned.
#pragma once

#include "devices/cuda/cuda_error.h"

#include <utility>

namespace linerate::cuda {

// Of the device that is current when it is made; with timing, whose resolution is CUDA's half a
// microsecond. Every call throws CudaError.
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

  // Stamped when `stream` gets here; a second time moves it.
  void record(cudaStream_t stream) {
    check_cuda(*api_, api_->event_record(event_, stream), "cudaEventRecord");
  }
  // What `stream` gets from here on waits for the event.
  void hold(cudaStream_t stream) const {
    check_cuda(*api_, api_->stream_wait_event(stream, event_, 0), "cudaStreamWaitEvent");
  }
  // REQUIRES: it is recorded.
  bool reached() const {
    const cudaError_t code = api_->event_query(event_);
    if (code == cudaErrorNotReady) return false;
    check_cuda(*api_, code, "cudaEventQuery");
    return true;
  }
  // REQUIRES: both are recorded and reached.
  double us_since(const CudaEvent& start) const {
    constexpr double kUsPerMs = 1e3;
    float ms = 0;
    check_cuda(*api_, api_->event_elapsed_time(&ms, start.event_, event_), "cudaEventElapsedTime");
    return static_cast<double>(ms) * kUsPerMs;
  }

 private:
  const CudaApi* api_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace linerate::cuda
