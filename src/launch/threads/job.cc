// See job.h.
#include "launch/threads/job.h"

#include <algorithm>
#include <chrono>

namespace linerate {

void ThreadJob::throw_if_failed() const {
  if (failure) throw WokenByFailure(failure->sentence, failure->ranks);
}

void ThreadJob::sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline) {
  // A clock that is moved by hand does not wake a sleeper: look at it from time to time.
  constexpr int kLongestSleepMs = 100;
  if (deadline.bounded())
    changed.wait_for(lock,
                     std::chrono::milliseconds(std::min(deadline.poll_ms(), kLongestSleepMs)));
  else
    changed.wait(lock);
}

}  // namespace linerate
