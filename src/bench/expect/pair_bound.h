// How fast messages between pairs of ranks over one host's memory can be at most: pure.
#pragma once

#include "bench/clock_span.h"
#include "bench/expect/host_bound.h"
#include "bench/expect/memory_curve.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace linerate {

// Of smaller messages the way is measured, not the memory.
inline constexpr std::size_t kMinJudgedBytes = std::size_t{32} << 10;

// What memory gives to all ranks at once, and to one of them alone.
struct PairLimits {
  HostLimits all{};
  MemoryCurve lone{};                                        // by what that one touches
  std::vector<std::size_t> all_left_out{}, lone_left_out{};  // sizes that were not probed
  int nranks = 2;
};

// One window of messages between the two ranks of a pair.
struct PairRun {
  std::size_t bytes = 0;       // of a message
  std::uint64_t messages = 0;  // in all, those of both ways
  int ways = 1;                // that are under way at the same time
  double busbw_gbps = 0;       // that it reached
  ClockSpan span{};
};

// What messages touch: as much of it as must be read, and with what is written, which may go past
// the caches and take no room there.
struct PairFootprint {
  double read_bytes = 0, all_bytes = 0;
};
// Of the core that moves a message, and of all pairs of a round together.
PairFootprint lone_footprint(std::size_t bytes);
PairFootprint round_footprint(std::size_t bytes, int ways, std::size_t npairs);

// Those of the smallest and of the largest message, one way and both, without messages that are not
// judged; `npairs` at once.
struct PairFootprints {
  std::vector<double> round{}, lone{};
};
PairFootprints footprints_between(std::size_t min_bytes, std::size_t max_bytes, std::size_t npairs);

// Of each pair of a round, which runs at the same time. Each message is read and written once; no
// more than what both cores reach alone, and no more than what memory gives to all, beside what
// other pairs must have done at that time; what is written takes no room in caches. A healthy run
// may need that room, and for it one core is enough, at its part of what memory gives to all where
// several pairs run. Nothing for messages below kMinJudgedBytes, that take one core no longer
// than `limits.all.latency_us`, or whose memory was not probed.
std::vector<std::optional<Expectation>> pair_bounds(std::span<const PairRun> round,
                                                    const PairLimits& limits);

}  // namespace linerate
