// How work runs on a device: ordered queues of it (Stream), points in them that other queues and
// the host can wait for (Event, TimingEvents), and work that is captured once and launched whole
// (Graph).
//
// A host stream is inline, the benchmark's default: every call is done when it returns. An async
// one has a worker thread (StreamKind::async in comm/device.h). A CUDA stream is CUDA's. The same
// code runs on all of them: enqueue, record an event, let another stream wait for it, synchronize.
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace linerate {

class Stream;

// Points in a stream's work that the device stamps when it gets there: an array of events that is
// made once, so that placing one in a timed region allocates nothing.
class TimingEvents {
 public:
  virtual ~TimingEvents() = default;

  // Enqueues point `index`; a second time moves it.
  virtual void place(std::size_t index) = 0;
  // REQUIRES: both were placed, and the stream is idle since.
  virtual double us_between(std::size_t first, std::size_t last) = 0;
};

// A point in a stream's work, from Stream::record(). A copy is the same point; it may outlive its
// stream. Any thread may ask.
class Event {
 public:
  // What a device keeps of it.
  class State {
   public:
    virtual ~State() = default;
    virtual bool done() = 0;
    virtual void wait(const Deadline& deadline) = 0;
    virtual double us_since(State& start) = 0;
  };

  // A point that is reached.
  Event() = default;
  explicit Event(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // Whether all work before it is done. Throws what ended that work, if it failed.
  bool done() const { return !state_ || state_->done(); }
  // Blocks the calling thread until then. Throws the same, and TimeoutError after the deadline.
  void wait(const Deadline& deadline) const {
    if (state_) state_->wait(deadline);
  }
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// Time from `start` to `end` on the device's clock, in microseconds. REQUIRES: both were recorded
// on streams of one kind of device and are done.
inline double elapsed_us(const Event& start, const Event& end) {
  return end.state()->us_since(*start.state());
}

// Work that was captured once and is launched as a whole. The communicators and buffers that it
// works with outlive it.
class Graph {
 public:
  virtual ~Graph() = default;

  virtual void launch(Stream& stream) = 0;
};

// Work of the host on a stream.
struct HostWork {
  std::function<void()> run;
  // In the place of run() where work before it on the stream has failed, with that failure; may be
  // empty. Does not throw.
  std::function<void(std::exception_ptr)> cancel{};
};

// Where an async host stream takes its work from. Calls come from one thread at a time.
class HostQueue {
 public:
  virtual ~HostQueue() = default;
  virtual void push(HostWork work) = 0;
};

// Used by one thread at a time.
class Stream {
 public:
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Waits until all work enqueued so far is done. Throws what one of its calls threw, and so does
  // every later wait: a failed stream stays failed, and what it has not begun is cancelled. Throws
  // TimeoutError when the deadline passes first.
  virtual void synchronize(const Deadline& deadline) = 0;
  virtual bool idle() = 0;
  // Throws what went wrong meanwhile, if anything did: asked again and again by who waits.
  virtual void check() {}

  // The point behind all work enqueued so far.
  virtual Event record() = 0;
  // What is enqueued from here on starts after `event`, which may be of another stream. On an
  // inline stream, and for events of another kind of device, the calling thread waits. Where the
  // work before the event fails, so does this stream.
  virtual void wait(const Event& event) = 0;

  // `count` points of this stream; null where work is done when it is enqueued, so that the host's
  // clock tells the same.
  virtual std::unique_ptr<TimingEvents> timing_events(std::size_t) { return nullptr; }

  // From here to end_capture(), what this thread enqueues is not done but kept. REQUIRES:
  // a stream of a GPU.
  virtual void begin_capture() {}
  virtual std::unique_ptr<Graph> end_capture() { return nullptr; }

  // Where host work runs beside the calling thread; null: there is no such place, and it runs on
  // the calling thread, at once.
  HostQueue* queue() const { return queue_; }
  // Runs `work` in its place among what is enqueued: host streams only. On an inline stream it is
  // done on return, and throws what it throws.
  void run(std::function<void()> work) {
    if (queue_ == nullptr) return work();
    queue_->push({.run = std::move(work)});
  }

 protected:
  Stream() = default;
  explicit Stream(HostQueue* queue) : queue_(queue) {}

 private:
  HostQueue* const queue_ = nullptr;
};

}  // namespace linerate
