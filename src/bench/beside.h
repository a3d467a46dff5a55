// Two things at once on each rank (--beside): how much longer each of both takes than alone.
//
// A block has three phases, in an order drawn by lot: calls alone, the load alone, both at once.
// Calls run on the rank's stream as in a window, the load on a stream of its own: on the host on a
// thread of its own. In the third phase only the time counts in which both were under way. The
// block is the unit of repetition: the interval is over blocks of this run.
#pragma once

#include "bench/call_issuer.h"
#include "bench/load.h"
#include "bench/sampling.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace linerate {

// How far some work had come: at `at_us[i]`, since any moment, i times `pieces` of it were done.
struct Progress {
  std::vector<double> at_us{};
  double pieces = 1;
};

// Microseconds of one call and of one unit of the load, on one thread; NaN where not even half of
// one was done.
struct PhaseTimes {
  double call_us = 0, unit_us = 0;
};

// Of the time in which both were under way; where one of them is empty, all of the other.
PhaseTimes times_of(const Progress& calls, const Progress& units);

enum class BesidePhase : std::uint8_t { calls, units, both };

// The phases of a block in an order drawn by lot: the same on all threads.
std::vector<BesidePhase> phases_of(std::uint64_t seed, std::uint64_t block);

// One thread's times of one block.
struct BesideBlock {
  double call_us = 0, unit_us = 0;  // alone
  PhaseTimes at_once{};
};

class BesideMeter {
 public:
  static constexpr int kBlocks = 15;

  // Both outlive it.
  BesideMeter(Session& session, const Load& load);

  struct Plan {
    Stage stage{};
    std::size_t sliding_slots = 1;
    double call_us = 0;                   // about; of rank 0
    std::function<bool()> interrupted{};  // collective; true leaves the other blocks out
  };
  // Blocks by thread, on rank 0. Collective over all threads.
  std::vector<std::vector<BesideBlock>> run(CallIssuer& issuer, const Plan& plan);

 private:
  struct Counts {
    std::uint64_t calls = 0, units = 0;
  };
  Counts fitting(const PhaseTimes& times);
  PhaseTimes phase(CallIssuer& issuer, const Counts& counts);
  BesideBlock block(CallIssuer& issuer, const Counts& alone, const Counts& at_once);

  Session& session_;
  const Load& load_;
  std::unique_ptr<Stream> stream_;  // of the load
  std::size_t slots_ = 1, next_slot_ = 0;
  std::uint64_t nblocks_ = 0;  // so far
};

// Over the threads of `set`; nothing where no block has times of all of them. `blocks` by thread.
std::optional<BesideInfo> beside_info(const std::vector<std::vector<BesideBlock>>& blocks,
                                      const ThreadSet& set, const TimingConfig& config);

}  // namespace linerate
