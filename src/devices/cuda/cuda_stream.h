// A CUDA stream as an ordered queue of work, and its points in time.
#pragma once

#include "base/clock.h"
#include "comm/device.h"
#include "comm/stream.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/cuda_error.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

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

// Work that may fail or hang apart from the streams on which it is: a communicator.
class Attended {
 public:
  virtual ~Attended() = default;
  // Throws what went wrong, if anything did.
  virtual void throw_if_failed() = 0;
};

// A stream of CUDA as all that has work on it shares it: its handle, which lives as long as any of
// them, and who is asked while somebody waits. Used by the thread that uses the stream.
class SharedStream {
 public:
  // On the device that is current.
  SharedStream(const CudaApi& api, int device, StreamKind kind);
  ~SharedStream();
  SharedStream(const SharedStream&) = delete;
  SharedStream& operator=(const SharedStream&) = delete;

  cudaStream_t get() const { return stream_; }
  // What `later` gets from here on waits for what this one has got.
  void come_before(SharedStream& later) const;

  // Once, however often it is added.
  void attend(const std::shared_ptr<Attended>& attended);
  void throw_if_failed();

 private:
  const CudaApi& api_;
  const int device_;
  cudaStream_t stream_ = nullptr;
  std::vector<std::weak_ptr<Attended>> attended_;
};

// One of its own does not wait for the legacy default stream, which the other kind is. Used by one
// thread at a time.
class CudaStream final : public Stream {
 public:
  // On the device that is current.
  CudaStream(const CudaApi& api, int device, StreamKind kind);

  void synchronize(const Deadline& deadline) override;
  bool idle() override;
  void check() override { shared_->throw_if_failed(); }
  Event record() override;
  void wait(const Event& event) override;
  std::unique_ptr<TimingEvents> timing_events(std::size_t count) override;
  void begin_capture() override;
  std::unique_ptr<Graph> end_capture() override;

  cudaStream_t get() const { return shared_->get(); }
  int device() const { return device_; }

  // Whoever enqueues work that may fail by itself attends it: it is asked again and again while
  // somebody waits for the stream or an event of it, and ends the wait by what it throws.
  const std::shared_ptr<SharedStream>& shared() const { return shared_; }

 private:
  const CudaApi& api_;
  const int device_;
  const std::shared_ptr<SharedStream> shared_;
};

}  // namespace linerate::cuda
