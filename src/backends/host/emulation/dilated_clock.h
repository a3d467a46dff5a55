// Time that runs slower than the machine's.
#pragma once

#include "base/clock.h"

#include <cstdint>

namespace linerate::host {

// Any thread may read; all processes of a host share the time line, as they share that of `clock`,
// which outlives this.
class DilatedClock final : public Clock {
 public:
  DilatedClock(const Clock& clock, int dilation) : clock_(clock), dilation_(dilation) {}

  std::int64_t now_ns() const override { return clock_.now_ns() / dilation_; }

 private:
  const Clock& clock_;
  std::int64_t dilation_;
};

}  // namespace linerate::host
