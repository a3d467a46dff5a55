// What ranks on an emulated network share: when each link is busy, and, behind the control block of
// their group, when each rank entered its calls and ended their steps.
#pragma once

#include "backends/host/control.h"
#include "base/clock.h"
#include "base/pages.h"

#include <algorithm>
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
class BusyIntervals {
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

// When a rank entered its last calls and ended their steps: emulated times on the clock of all
// ranks, and on one that knows nothing of what the network's file calls slow. Written by its rank
// before the flag that announces what it is about, and read by those who have waited for that flag.
// A rank is less than kCells calls ahead of those that still read; but it stamps its entry before
// it knows that, and entries are read for so long again.
class StepTimes {
 public:
  static std::size_t bytes(int nranks) {
    return round_up((kEntries + kCells * capacity(nranks)) * sizeof(ModeledTime), kLinePair);
  }

  StepTimes(std::byte* memory, int nranks)
      : stamps_(reinterpret_cast<ModeledTime*>(memory)), capacity_(capacity(nranks)) {}

  ModeledTime& entered(std::uint64_t call) const { return stamps_[call % kEntries]; }
  // Once its first `steps` steps had ended. REQUIRES: steps >= 1. Steps beyond the capacity share
  // the last stamp, so that they seem to end together.
  ModeledTime& done(std::uint64_t call, std::size_t steps) const {
    return stamps_[kEntries + call % kCells * capacity_ + std::min(steps, capacity_) - 1];
  }

 private:
  static constexpr std::size_t kEntries = 2 * kCells;
  // A ring in 32 pieces takes 64 steps a rank, the most of all algorithms.
  static std::size_t capacity(int nranks) { return 128 * static_cast<std::size_t>(nranks); }

  ModeledTime* stamps_;
  std::size_t capacity_;
};

// How well the machine kept up with the network that it emulated: sums over all ranks.
struct EmulationStats {
  std::atomic<std::int64_t> emulated_ns;  // what the calls should have taken
  std::atomic<std::int64_t> behind_ns;    // what they took beyond it
  std::atomic<std::int64_t> calls;
};

// When a link is busy, and when it would be if nothing were slow.
struct LinkUse {
  BusyIntervals real;
  BusyIntervals healthy;  // under the lock of `real`; kept where the file slows anything down
};

// What lies behind a group's control block: the step times of each of its ranks. Behind the world's
// there are the stats and the use of each link too. All zero bytes are its initial state.
class EmulationBlock {
 public:
  static std::size_t offset(int nranks) { return round_up(ControlBlock::bytes(nranks), kLinePair); }
  static std::size_t group_bytes(int nranks) {
    return static_cast<std::size_t>(nranks) * StepTimes::bytes(nranks);
  }
  static std::size_t world_bytes(int nranks, std::size_t nlinks) {
    return group_bytes(nranks) + kLinePair + nlinks * sizeof(LinkUse);
  }

  // `control`: where the group's control block begins.
  EmulationBlock(std::byte* control, int nranks)
      : memory_(control + offset(nranks)), nranks_(nranks) {}

  StepTimes times_of(int rank) const {
    return {memory_ + static_cast<std::size_t>(rank) * StepTimes::bytes(nranks_), nranks_};
  }
  EmulationStats& stats() const {
    return *reinterpret_cast<EmulationStats*>(memory_ + group_bytes(nranks_));
  }
  LinkUse& use_of(std::size_t link) const {
    return reinterpret_cast<LinkUse*>(memory_ + group_bytes(nranks_) + kLinePair)[link];
  }

 private:
  std::byte* memory_;
  int nranks_;
};

}  // namespace linerate::host
