// What ranks on an emulated network share, behind the control block of their group.
#pragma once

#include "backends/host/control.h"
#include "backends/host/emulation/timeline.h"
#include "base/modeled_time.h"
#include "base/pages.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linerate::host {

// When a rank entered its last calls and ended their steps: emulated times on the clock of all
// ranks, and on one that knows nothing of what the network's file calls slow. Written by its rank
// before the flag that announces what it is about, and read by those who have waited for that flag.
// A rank is less than kCells calls ahead of those that still read; but it stamps its entry before
// it knows that, and entries are read for so long again.
class Ledger {
 public:
  static std::size_t bytes(int nranks) {
    return round_up((kEntries + kCells * capacity(nranks)) * sizeof(ModeledTime), kLinePair);
  }

  Ledger(std::byte* memory, int nranks)
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
struct Tally {
  std::atomic<std::int64_t> emulated_ns;  // what the calls should have taken
  std::atomic<std::int64_t> behind_ns;    // what they took beyond it
  std::atomic<std::int64_t> calls;
};

// When a link is busy. The second is kept where the network's file slows anything down.
struct ModeledLine {
  Timeline real;
  Timeline healthy;  // under the lock of `real`
};

// Behind a group's control block: the ranks' ledgers; behind the world's besides: the tally, and a
// timeline for each link, and for each as it would be if it were healthy. All zero bytes are its
// initial state.
class EmulationBlock {
 public:
  static std::size_t offset(int nranks) { return round_up(ControlBlock::bytes(nranks), kLinePair); }
  static std::size_t group_bytes(int nranks) {
    return static_cast<std::size_t>(nranks) * Ledger::bytes(nranks);
  }
  static std::size_t world_bytes(int nranks, std::size_t nlinks) {
    return group_bytes(nranks) + kLinePair + nlinks * sizeof(ModeledLine);
  }

  // `control`: where the group's control block begins.
  EmulationBlock(std::byte* control, int nranks)
      : memory_(control + offset(nranks)), nranks_(nranks) {}

  Ledger ledger(int rank) const {
    return {memory_ + static_cast<std::size_t>(rank) * Ledger::bytes(nranks_), nranks_};
  }
  Tally& tally() const { return *reinterpret_cast<Tally*>(memory_ + group_bytes(nranks_)); }
  ModeledLine& timelines(std::size_t link) const {
    return reinterpret_cast<ModeledLine*>(memory_ + group_bytes(nranks_) + kLinePair)[link];
  }

 private:
  std::byte* memory_;
  int nranks_;
};

}  // namespace linerate::host
