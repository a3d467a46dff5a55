// How long windows that share one memory must take, given when the others began and ended: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linerate {

// From the first of its lanes that began to the last that ended, on one clock.
struct ClockSpan {
  std::int64_t start_ns = 0, end_ns = 0;

  double us() const;
};

struct JointWindow {
  ClockSpan span{};
  double work_us = 0;  // what its bytes take a memory that does nothing else
};

// The least time of window `of`: its own work, and as much of the others' as they cannot have done
// before it began and after it ended, since a memory does one thing after the other. No order in
// which the memory serves them ends sooner, however unfair.
double least_us(std::span<const JointWindow> windows, std::size_t of);

}  // namespace linerate
