// When something began and ended, on one clock.
#pragma once

#include <cstdint>
#include <span>

namespace linerate {

struct ClockSpan {
  std::int64_t start_ns = 0, end_ns = 0;

  double us() const;
};

// From the first that began to the last that ended. REQUIRES: !spans.empty().
ClockSpan joined(std::span<const ClockSpan> spans);

}  // namespace linerate
