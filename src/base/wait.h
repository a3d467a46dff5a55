// Waiting for a moment, to the microsecond.
#pragma once

#include "base/clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace linerate {

// Returns at `until_ns` of the clock: sleeps, and is awake for the last `awake_ns`, because sleeps
// end late. Calls `between` each millisecond, and while awake all the time.
template <typename Between>
void wait_until(const Clock& clock, std::int64_t until_ns, std::int64_t awake_ns, Between between) {
  constexpr std::int64_t kLongestSleepNs = 1'000'000;
  for (auto left = until_ns - clock.now_ns(); left > 0; left = until_ns - clock.now_ns()) {
    between();
    if (left > awake_ns)
      std::this_thread::sleep_for(
          std::chrono::nanoseconds(std::min(left - awake_ns, kLongestSleepNs)));
  }
}

}  // namespace linerate
