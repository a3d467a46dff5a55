// See job.h.
#include "launch/lanes/job.h"

#include <algorithm>
#include <chrono>

namespace linerate {

void LaneJob::throw_if_failed() const {
  if (failure) throw LaneWoken(failure->sentence, failure->ranks);
}

void LaneJob::sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline) {
  // A clock that is moved by hand does not wake a sleeper: look at it from time to time.
  constexpr int kLongestSleepMs = 100;
  if (deadline.bounded())
    changed.wait_for(lock,
                     std::chrono::milliseconds(std::min(deadline.poll_ms(), kLongestSleepMs)));
  else
    changed.wait(lock);
}

}  // namespace linerate
