// See watched_comms.h.
#include "bench/watched_comms.h"

#include <chrono>
#include <thread>

namespace linerate {
namespace {

// A call only enqueues: what takes longer hangs, and nothing but the abort ends it.
constexpr auto kReturnTime = std::chrono::milliseconds(100);

}  // namespace

void WatchedComms::add(Communicator* comm) {
  const std::lock_guard lock(mutex_);
  if (comm == nullptr) return;
  comms_.push_back(comm);
  if (aborted_) comm->abort();
}

void WatchedComms::clear() {
  const std::lock_guard lock(mutex_);
  for (const auto* comm : comms_) ended_calls_ += comm->calls_begun();
  comms_.clear();
}

void WatchedComms::abort_all() noexcept {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  bool waits = false;
  for (auto* comm : comms_) waits |= comm->stop_calls();
  if (waits) std::this_thread::sleep_for(kReturnTime);
  for (auto* comm : comms_) comm->abort();
}

std::uint64_t WatchedComms::calls_begun() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t calls = ended_calls_;
  for (const auto* comm : comms_) calls += comm->calls_begun();
  return calls;
}

}  // namespace linerate
