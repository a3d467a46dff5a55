// Reads the clock and calls the barrier many times in a row.
#include "bench/calibrate.h"

#include "base/wire.h"
#include "stats/summary.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace linerate {
namespace {

constexpr int kClockReads = 2000;
constexpr int kBarriers = 64;

void measure_clock(const Clock& clock, TimingInfo& timing) {
  std::vector<std::int64_t> reads(kClockReads);
  for (auto& read : reads) read = clock.now_ns();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 1; i < reads.size(); ++i)
    if (const auto step = reads[i] - reads[i - 1]; step > 0) least = std::min(least, step);
  timing.clock_cost_ns = static_cast<double>(reads.back() - reads.front()) / (kClockReads - 1);
  if (least != std::numeric_limits<std::int64_t>::max())
    timing.clock_resolution_ns = static_cast<double>(least);
}

double barrier_cost_us(Session& session) {
  const Clock& clock = session.clock();
  std::vector<double> costs_us;
  session.align();
  for (int i = 0; i < kBarriers; ++i) {
    const auto start_ns = clock.now_ns();
    session.ranks().front().world->barrier();
    costs_us.push_back(static_cast<double>(clock.now_ns() - start_ns) / 1e3);
  }
  return stats::summarize(costs_us).median;
}

double clock_error_us(Session& session) {
  if (session.members().place().nnodes == 1) return 0;
  const auto offset = session.clock_offset(session.init_deadline());
  WireWriter mine;
  mine.put(offset.error_ns);
  std::int64_t worst_ns = 0;
  for (const auto& bytes : session.members().all_gather(mine.bytes(), session.init_deadline()))
    worst_ns = std::max(worst_ns, WireReader(bytes).get<std::int64_t>());
  return static_cast<double>(worst_ns) / 1e3;
}

}  // namespace

TimingInfo calibrate(Session& session) {
  session.enter({.what = "calibration"});
  TimingInfo timing;
  measure_clock(session.clock(), timing);
  timing.barrier_cost_us = barrier_cost_us(session);
  timing.clock_error_us = clock_error_us(session);
  return timing;
}

}  // namespace linerate
