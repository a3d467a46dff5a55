// An ordered queue of work on a device.
#pragma once

#include "base/clock.h"

namespace linerate {

// Used by one thread at a time. Host streams run each call inline, so they are always idle.
class Stream {
 public:
  virtual ~Stream() = default;

  // Waits until all work enqueued so far is done. Throws TimeoutError when the deadline passes
  // first.
  virtual void synchronize(const Deadline& deadline) = 0;
  virtual bool idle() = 0;
};

}  // namespace linerate
