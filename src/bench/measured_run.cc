// The order of the steps, and what of memory and time is noted between them. The instrument is
// calibrated by reading the clock and calling the barrier many times in a row.
#include "bench/measured_run.h"

#include "base/error.h"
#include "base/units.h"
#include "bench/plan.h"
#include "stats/summary.h"

#include <fmt/format.h>

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

stats::Summary barriers_us(Session& session) {
  const Clock& clock = session.clock();
  std::vector<double> costs_us;
  session.align();
  for (int i = 0; i < kBarriers; ++i) {
    const auto start_ns = clock.now_ns();
    session.ranks().front().world->barrier();
    costs_us.push_back(static_cast<double>(clock.now_ns() - start_ns) / kNsPerUs);
  }
  return stats::summarize(costs_us);
}

double clock_error_us(Session& session) {
  if (session.bootstrap().place().nnodes == 1) return 0;
  const auto offset = session.rank().clock_offset(session.init_deadline());
  return session.rank().max_of_threads(static_cast<double>(offset.error_ns)) / kNsPerUs;
}

bool reports_free_bytes(const Session& session) {
  return session.ranks().front().device->kind() == DeviceKind::cuda;
}

std::size_t free_now(const Session& session) {
  return reports_free_bytes(session) ? session.ranks().front().device->free_bytes() : 0;
}

std::uint64_t taken(std::size_t before, std::size_t after) {
  return before > after ? before - after : 0;
}

}  // namespace

TimingInfo calibrate(Session& session) {
  session.enter({.what = "calibration"});
  TimingInfo timing;
  measure_clock(session.clock(), timing);
  const auto barriers = barriers_us(session);
  timing.barrier_cost_us = barriers.median;
  timing.barrier_least_us = barriers.min;
  timing.clock_error_us = clock_error_us(session);
  return timing;
}

MeasuredRun::MeasuredRun(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                         const RunEvents& events)
    : events_(events), config_(config), session_(rank, config), info_(started) {}

RunTotals MeasuredRun::run() {
  info_.timing = calibrate(session_);
  const auto buffers = plan(lower_max_bytes());
  if (totals_.refusal) return totals_;
  initialised_free_ = free_now(session_);
  session_.allocate(buffers, config_.unalign * kWidestBytes);
  allocated_free_ = free_now(session_);
  if (config_.expects) probe();
  session_.describe(info_);
  if (session_.is_first()) begin();
  measure();
  if (!interrupted() && config_.expects) time_pairs();
  session_.enter({.what = "end of the run"});
  end();
  return totals_;
}

// Where it does not fit into two buffers of a rank, to the largest size that does. Yields the bytes
// that a rank may use.
std::size_t MeasuredRun::lower_max_bytes() {
  const auto memory = session_.rank_memory();
  const auto cap = max_bytes_within(memory);
  if (config_.max_bytes <= cap) return memory;
  if (config_.min_bytes > cap)
    throw Error(fmt::format("-b {} does not fit: a rank has {} for its two buffers. Choose a "
                            "smaller -b, fewer ranks, or a larger --limit-memory.",
                            bytes_text(config_.min_bytes), about_bytes_text(memory)),
                ExitCode::unavailable);
  config_.max_bytes = cap;
  info_.lowered_max_bytes = cap;
  for (auto& setting : info_.settings)
    if (setting.name == "max_bytes") setting.json = fmt::to_string(cap);
  return memory;
}

// What -M reports: the memory that the run took of its first rank's device, under nccl-tests'
// names. On a GPU by the free memory that is left after each step, so that what the library takes
// counts too; others use the same GPU at the same time on their own account. In host memory the
// buffers.
std::vector<std::pair<std::string, std::uint64_t>> MeasuredRun::memory_bytes() const {
  const auto& local = session_.ranks().front();
  if (!reports_free_bytes(session_))
    return {{"buffers", 2 * local.send.bytes() + local.spare.bytes()}};
  return {{"Initialization", taken(session_.rank().free_before_init(), initialised_free_)},
          {"User-Allocated", taken(initialised_free_, allocated_free_)},
          {"Collective", taken(allocated_free_, free_now(session_))}};
}

// The slowest thread's times: each of them is done when the last one is.
void MeasuredRun::end() {
  totals_.memory_bytes = memory_bytes();
  if (config_.expects) probe_again();
  CommTimes times{.init_us = session_.rank().max_of_threads(session_.rank().init_us())};
  if (const auto us = first_call_us()) times.first_call_us = session_.rank().max_of_threads(*us);
  if (config_.another_follows)
    session_.rank().release_buffers();
  else
    times.destroy_us = session_.rank().max_of_threads(session_.rank().close());
  totals_.comm_times = times;
}

bool MeasuredRun::interrupted() {
  totals_.interrupted = totals_.interrupted || session_.rank().any_interrupted();
  return totals_.interrupted;
}

}  // namespace linerate
