// See joint_windows.h.
#include "bench/expect/joint_windows.h"

#include "base/clock.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace linerate {
namespace {

// What another window did, and for how long of it the one that is asked for was not there.
struct Beside {
  double work_us = 0;
  double before_us = 0, after_us = 0;

  double outside_us() const { return before_us + after_us; }
};

Beside beside(const JointWindow& other, const ClockSpan& span) {
  const auto us = [](std::int64_t from_ns, std::int64_t to_ns) {
    return static_cast<double>(std::max<std::int64_t>(0, to_ns - from_ns)) / kNsPerUs;
  };
  return {.work_us = other.work_us,
          .before_us = us(other.span.start_ns, span.start_ns),
          .after_us = us(span.end_ns, other.span.end_ns)};
}

}  // namespace

// Of any choice of others at least their work less the time outside holds: those that were outside
// the least come first, and each one more either adds to the most or does not.
double least_us(std::span<const JointWindow> windows, std::size_t of) {
  std::vector<Beside> others;
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (i != of) others.push_back(beside(windows[i], windows[of].span));
  std::ranges::sort(others, {}, &Beside::outside_us);
  double work_us = 0, before_us = 0, after_us = 0, inside_us = 0;
  for (const auto& other : others) {
    work_us += other.work_us;
    before_us = std::max(before_us, other.before_us);
    after_us = std::max(after_us, other.after_us);
    inside_us = std::max(inside_us, work_us - before_us - after_us);
  }
  return windows[of].work_us + inside_us;
}

}  // namespace linerate
