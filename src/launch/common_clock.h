// One time line for all processes: offset and drift of each against rank 0, with an error bound.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"

#include <cstdint>

namespace linerate {

// Offset of one process' clock against rank 0's at one moment.
struct ClockOffset {
  std::int64_t at_ns = 0;      // this process' clock
  std::int64_t offset_ns = 0;  // rank 0's clock minus this one
  std::int64_t error_ns = 0;   // bound: half of the fastest round trip, summed along the tree
};

// Rank 0's time: this process' own clock and the latest offset, 0 at first. Of one thread.
class CommonClock final : public Clock {
 public:
  explicit CommonClock(const Clock& own) : own_(own) {}  // outlives this

  std::int64_t now_ns() const override { return own_.now_ns() + latest_.offset_ns; }
  void set(const ClockOffset& latest) { latest_ = latest; }
  // Since the latest offset was measured.
  std::int64_t age_ns() const { return own_.now_ns() - latest_.at_ns; }

 private:
  const Clock& own_;
  ClockOffset latest_;
};

// Measures this process' offset by ping-pong along the tree. Collective over all processes.
// Processes of one node share CLOCK_MONOTONIC: offset and error between them are 0.
ClockOffset measure_offset(Bootstrap& process, const Clock& clock, const Deadline& deadline);

// `t_ns` of this process on rank 0's clock; between two measurements the offset is interpolated.
std::int64_t to_common_ns(std::int64_t t_ns, const ClockOffset& first, const ClockOffset& last);

}  // namespace linerate
