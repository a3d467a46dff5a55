// How long windows that share one memory must take, given when the others began and ended: pure.
#pragma once

#include "bench/clock_span.h"

#include <cstddef>
#include <span>

namespace linerate {

struct JointWindow {
  ClockSpan span{};    // of all its threads
  double work_us = 0;  // what its bytes take a memory that does nothing else
};

// The least time of window `of`: its own work, and as much of the others' as they cannot have done
// before it began and after it ended, since a memory does one thing after the other. No order in
// which the memory serves them ends sooner, however unfair.
double least_us(std::span<const JointWindow> windows, std::size_t of);

}  // namespace linerate
