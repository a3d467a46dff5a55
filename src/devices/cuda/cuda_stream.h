// A CUDA stream as an ordered queue of work.
#pragma once

#include "base/clock.h"
#include "comm/device.h"
#include "comm/stream.h"
#include "devices/cuda/cuda_api.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace linerate::cuda {

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
  std::unique_ptr<Marks> marks(std::size_t count) override;
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
