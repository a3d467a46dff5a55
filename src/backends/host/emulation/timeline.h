// When one direction of a link is busy: shared by all ranks of a job, threads and processes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linerate::host {

// Lies in shared memory, where all zero bytes are its initial state: never busy.
//
// Ranks compute ahead of the clock and not in its order, so that a link is asked for an earlier
// time after it was given away for a later one. A transfer therefore takes whatever time is free
// from its start on, also between others: the link idles only when nobody wants it. What is one
// transfer's and what another's is forgotten at once, so that few intervals remain.
class Timeline {
 public:
  // Takes the first `busy_ns` that are free from `start_ns` on; yields when the last of them ends.
  // REQUIRES: this thread holds the lock. start_ns >= 0, busy_ns >= 0.
  std::int64_t take(std::int64_t start_ns, std::int64_t busy_ns);

  // A lock between processes. Its holder may be preempted, or killed, in which case nobody gets it
  // any more: those who try look for an abort in between.
  bool try_lock() { return lock_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() { lock_.store(0, std::memory_order_release); }

  static constexpr std::size_t kMax = 64;  // intervals; beyond, the two oldest become one

 private:
  struct Interval {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };

  void replace(std::size_t first, std::size_t last, const Interval& by);

  std::atomic<std::uint32_t> lock_;
  std::uint32_t count_ = 0;
  std::array<Interval, kMax> busy_;  // ascending; none touches the next
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "shared between processes");

}  // namespace linerate::host
