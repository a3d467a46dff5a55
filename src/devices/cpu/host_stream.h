// Streams of the host: inline, and on a worker thread of their own.
//
// Inline, work is done when the call that enqueues it returns, so waiting for an event is waiting
// on the calling thread. An async stream hands work to its worker, which does it in order. The
// first exception out of a piece of work ends the stream: the rest is cancelled, waits and events
// behind it throw the same, on whatever stream waits for them.
#pragma once

#include "base/clock.h"
#include "comm/device.h"
#include "comm/stream.h"

#include <memory>

namespace linerate {

// What time it is in a stream's work: the host's clock, or a virtual one that work itself moves.
class StreamTime {
 public:
  virtual ~StreamTime() = default;
  // On the thread that does the work: when what is done so far was done.
  virtual ModeledTime now() const = 0;
  // Likewise: work from here on starts after `time`, when an event was reached or it was enqueued.
  virtual void start_after(const ModeledTime& /*time*/) {}
  // On the thread that enqueues work: when it does.
  virtual ModeledTime enqueued() const { return {}; }
  // On the thread that uses the stream, which has waited for all its work.
  virtual void waited() {}
};

class HostStream : public Stream {
 public:
  StreamTime& time() const { return *time_; }

 protected:
  HostStream(HostQueue* queue, std::unique_ptr<StreamTime> time)
      : Stream(queue), time_(std::move(time)) {}

 private:
  const std::unique_ptr<StreamTime> time_;
};

// `async`: with a worker thread, which inherits the calling thread's cores. Its destructor cancels
// what has not begun and waits for what has, so synchronize first.
std::unique_ptr<HostStream> make_host_stream(StreamKind kind, std::unique_ptr<StreamTime> time);

}  // namespace linerate
