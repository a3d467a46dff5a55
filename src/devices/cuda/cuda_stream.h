// A CUDA stream as an ordered queue of work.
#pragma once

#include "base/clock.h"
#include "comm/device.h"
#include "comm/stream.h"
#include "devices/cuda/cuda_api.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace linerate::cuda {

// One of its own does not wait for the legacy default stream, which the other kind is. Used by one
// thread at a time.
class CudaStream final : public Stream {
 public:
  // On the device that is current.
  CudaStream(const CudaApi& api, int device, StreamKind kind);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void synchronize(const Deadline& deadline) override;
  bool idle() override;
  void check() override {
    if (check_) check_();
  }
  std::unique_ptr<Marks> marks(std::size_t count) override;
  void begin_capture() override;
  std::unique_ptr<Graph> end_capture() override;

  cudaStream_t get() const { return stream_; }
  int device() const { return device_; }

  // Called again and again while synchronize() waits; what it throws ends the wait. Empty: nothing.
  // Whoever enqueues work that may fail or hang apart from the stream sets it; the last one holds.
  void watch(std::function<void()> check) { check_ = std::move(check); }

 private:
  const CudaApi& api_;
  const int device_;
  cudaStream_t stream_ = nullptr;
  std::function<void()> check_;
};

}  // namespace linerate::cuda
