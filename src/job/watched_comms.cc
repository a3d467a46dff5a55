// One lock: the watch may abort while the thread ends.
#include "job/watched_comms.h"

namespace linerate {

void WatchedComms::add(Communicator* comm) {
  const std::lock_guard lock(mutex_);
  if (comm == nullptr) return;
  comms_.push_back(comm);
  if (stopped_) (void)comm->stop_calls();
  if (aborted_) comm->abort();
}

void WatchedComms::clear() {
  const std::lock_guard lock(mutex_);
  for (const auto* comm : comms_) ended_calls_ += comm->calls_begun();
  comms_.clear();
}

bool WatchedComms::stop_all() noexcept {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  bool frees = false;
  for (auto* comm : comms_) frees |= comm->stop_calls();
  return frees;
}

void WatchedComms::abort_all() noexcept {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  for (auto* comm : comms_) comm->abort();
}

std::uint64_t WatchedComms::calls_begun() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t calls = ended_calls_;
  for (const auto* comm : comms_) calls += comm->calls_begun();
  return calls;
}

}  // namespace linerate
