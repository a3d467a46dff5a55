#include "base/clock.h"

#include <algorithm>
#include <ctime>

namespace linerate {

std::int64_t SteadyClock::now_ns() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Deadline Deadline::after(const Clock& clock, double timeout_s) {
  constexpr double kForeverS = 1e9;  // about 30 years: below the overflow of the nanosecond count
  Deadline deadline;
  if (timeout_s <= 0) return deadline;
  deadline.clock_ = &clock;
  deadline.at_ns_ =
      clock.now_ns() + static_cast<std::int64_t>(std::min(timeout_s, kForeverS) * 1e9);
  return deadline;
}

int Deadline::poll_ms() const {
  constexpr std::int64_t kMaxMs = 1'000'000'000;
  if (!bounded()) return -1;
  const auto left_ns = at_ns_ - clock_->now_ns();
  if (left_ns <= 0) return 0;
  return static_cast<int>(std::min((left_ns + 999'999) / 1'000'000, kMaxMs));
}

}  // namespace linerate
