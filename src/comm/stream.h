// An ordered queue of work on a device, and what can be made of it: points in time, and graphs.
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <memory>

namespace linerate {

class Stream;

// Points in a stream's work that the device stamps when it gets there.
class Marks {
 public:
  virtual ~Marks() = default;

  // Enqueues point `index`; a second time moves it.
  virtual void place(std::size_t index) = 0;
  // REQUIRES: both were placed, and the stream is idle since.
  virtual double us_between(std::size_t first, std::size_t last) = 0;
};

// Work that was captured once and is launched as a whole. The communicators and buffers that it
// works with outlive it.
class Graph {
 public:
  virtual ~Graph() = default;

  virtual void launch(Stream& stream) = 0;
};

// Used by one thread at a time. Host streams run each call inline, so they are always idle.
class Stream {
 public:
  virtual ~Stream() = default;

  // Waits until all work enqueued so far is done. Throws TimeoutError when the deadline passes
  // first.
  virtual void synchronize(const Deadline& deadline) = 0;
  virtual bool idle() = 0;
  // Throws what went wrong meanwhile, if anything did: asked again and again by who waits.
  virtual void check() {}

  // `count` points of this stream; null where work is done when it is enqueued, so that the host's
  // clock tells the same.
  virtual std::unique_ptr<Marks> marks(std::size_t) { return nullptr; }

  // From here to end_capture(), what this thread enqueues is not done but kept. REQUIRES:
  // Capabilities::graphs.
  virtual void begin_capture() {}
  virtual std::unique_ptr<Graph> end_capture() { return nullptr; }
};

}  // namespace linerate
