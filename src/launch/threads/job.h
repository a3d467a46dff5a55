// What all threads of one process share while they are members of a job: one lock, one failure.
#pragma once

#include "base/error.h"
#include "comm/bootstrap.h"
#include "launch/job_failure.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// Thrown by a member that waits when another member's body has failed: never the cause itself.
class WokenByFailure final : public PeerFailure {
 public:
  using PeerFailure::PeerFailure;
};

struct ThreadJob {
  explicit ThreadJob(Bootstrap& whole) : process(whole) {}

  Bootstrap& process;  // over all processes of the job
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<JobFailure> failure;  // under `mutex`: of the first body that threw

  // REQUIRES: `mutex` is held.
  void throw_if_failed() const;

  // Blocks until `ready()` or until the deadline passes (false). Throws WokenByFailure when a body
  // fails.
  template <typename Ready>
  bool wait(std::unique_lock<std::mutex>& lock, const Deadline& deadline, Ready ready) {
    for (;;) {
      if (ready()) return true;
      throw_if_failed();
      if (deadline.passed()) return false;
      sleep(lock, deadline);
    }
  }

 private:
  void sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline);
};

}  // namespace linerate
