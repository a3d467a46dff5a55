// The sweep: each case in both placements, reported by rank 0.
#include "bench/run.h"

#include "base/log.h"
#include "base/units.h"
#include "bench/case_runner.h"
#include "bench/limits/host_probe.h"
#include "bench/measured_run.h"
#include "bench/pair_test.h"
#include "bench/plan.h"
#include "bench/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace linerate {
namespace {

// The sweep of a collective.
class BenchmarkRun final : public MeasuredRun {
 public:
  using MeasuredRun::MeasuredRun;

 private:
  BufferSizes plan(std::size_t memory_bytes) override;
  void probe() override;
  void begin() override;
  void measure() override;
  void time_pairs() override;
  void probe_again() override;
  std::optional<double> first_call_us() const override { return first_call_us_; }

  std::string refusal(const Op& op);
  void say_without_spare(std::size_t largest) const;
  void run_cycle(CaseRunner& runner);
  void run_case(CaseRunner& runner, const Case& what);
  Record report(const Measurement& measurement, const std::vector<ThreadSet>& sets);
  RunFacts facts() const;

  std::shared_ptr<const TrafficMatrix> traffic_;
  std::vector<Case> cases_;
  BufferSizes buffers_;
  std::optional<double> first_call_us_;
  std::unique_ptr<HostProbe> probe_;  // null: results do not follow from what it measures
};

void BenchmarkRun::measure() {
  CaseRunner::Setup setup{
      .buffers = buffers_, .clock_cost_ns = info_.timing.clock_cost_ns, .traffic = traffic_.get()};
  if (session_.rank().capabilities().device_memory && config_.warmup_iters > 0)
    setup.largest = &*std::ranges::max_element(cases_, {}, &Case::bytes);
  std::optional<SkewPattern> skew;
  if (config_.skew.asked()) {
    skew = skew_of(config_.skew, config_.seed, session_.nranks());
    setup.skew = &*skew;
  }
  Load load;
  if (config_.beside.asked()) {
    session_.enter({.what = "load", .timeout_s = config_.init_timeout_s()});
    load = make_load(config_.beside, session_.rank());
    setup.beside = &load;
  }
  CaseRunner runner(session_, setup);
  for (std::uint64_t cycle = 0; config_.run_cycles == 0 || cycle < config_.run_cycles; ++cycle) {
    run_cycle(runner);
    if (totals_.interrupted) break;
  }
  first_call_us_ = runner.first_call_us();
}

BufferSizes BenchmarkRun::plan(std::size_t memory_bytes) {
  auto& comm = session_.ranks().front().comm();
  traffic_ = traffic_of(config_, comm.nranks());
  auto runnable = runnable_cases(
      plan_cases(config_, smallest_group(config_, session_.nranks())),
      [this](const Op& op) { return refusal(op); },
      [this](bool says) { return session_.any_thread(says); });
  if (runnable.cases.empty()) {
    totals_.refusal = runnable.note;
    return {};
  }
  if (session_.is_first() && !runnable.note.empty()) say(runnable.note);
  cases_ = std::move(runnable.cases);
  const auto largest = largest_case(cases_, comm.nranks(), traffic_.get());
  if (config_.beside.asked()) {
    const auto buffers = 2 * std::max(config_.max_bytes, largest);
    config_.beside =
        checked_load(config_.beside, session_, memory_bytes - std::min(memory_bytes, buffers));
    memory_bytes -= load_bytes(config_.beside);
    for (auto& setting : info_.settings)
      if (setting.name == "beside") setting.json = fmt::format("\"{}\"", config_.beside.text);
  }
  buffers_ =
      buffer_sizes(config_.max_bytes, largest, config_.verifies_timed_calls() ? memory_bytes : 0);
  say_without_spare(largest);
  return buffers_;
}

std::string BenchmarkRun::refusal(const Op& op) {
  for (auto& local : session_.ranks())
    if (auto sentence = local.comm().inspector().refusal(op); !sentence.empty()) return sentence;
  return {};
}

void BenchmarkRun::say_without_spare(std::size_t largest) const {
  const auto behind = config_.sliding == Sliding::slide ? buffers_.bytes / 2 : 0;
  const auto most = std::max(buffers_.spare_bytes, behind);
  if (!session_.is_first() || !config_.verifies_timed_calls() || most >= largest) return;
  say(
      fmt::format("note: memory is short: for sizes above {} one more call is verified instead of "
                  "the last timed one",
                  about_bytes_text(most)));
}

void BenchmarkRun::probe() {
  probe_ = HostProbe::measure(session_, {.cases = cases_,
                                         .buffers = buffers_,
                                         .traffic = traffic_.get(),
                                         .barrier_us = info_.timing.barrier_cost_us,
                                         .barrier_least_us = info_.timing.barrier_least_us,
                                         .shared_cores = shares_cores(info_, session_.infos()),
                                         .cache_bytes = events_.cache_bytes});
  if (!probe_) return;
  auto points = probe_->points();
  info_.memory = std::move(points.memory);
  info_.network = std::move(points.network);
}

// What rules find slow of results they know: messages between pairs tell more.
void BenchmarkRun::time_pairs() {
  const bool asks = session_.is_first() && events_.pair_bytes;
  totals_.pairs = linerate::time_pairs(session_, asks ? events_.pair_bytes() : 0);
}

void BenchmarkRun::probe_again() {
  if (!probe_) return;
  auto points = probe_->measure_again(session_);
  totals_.memory = std::move(points.memory);
  totals_.network = std::move(points.network);
}

RunFacts BenchmarkRun::facts() const {
  return {.run_id = info_.run_id,
          .backend = info_.backend,
          .backend_version = info_.backend_version,
          .transport = info_.transport,
          .infos = session_.infos(),
          .traffic = traffic_.get()};
}

void BenchmarkRun::begin() {
  events_.begin({.info = info_,
                 .cases = cases_,
                 .limits = probe_ ? &probe_->limits() : nullptr,
                 .traffic = traffic_});
}

void BenchmarkRun::run_cycle(CaseRunner& runner) {
  for (const auto& what : cases_) {
    if (interrupted()) return;
    run_case(runner, what);
    totals_.interrupted = runner.interrupted();
    if (totals_.interrupted) return;
  }
}

// A row has both placements: none for a case that was interrupted in the first.
void BenchmarkRun::run_case(CaseRunner& runner, const Case& what) {
  std::vector<Record> table;
  for (const auto placement : {Placement::out_of_place, Placement::in_place}) {
    const auto measurement = runner.run(what, placement);
    if (measurement.iters == 0) return;
    if (session_.is_first()) table.push_back(report(measurement, runner.thread_sets()));
    if (runner.interrupted() && placement == Placement::out_of_place) return;
  }
  if (session_.is_first()) events_.row(table);
}

// Yields the placement's part of the table's row.
Record BenchmarkRun::report(const Measurement& measurement, const std::vector<ThreadSet>& sets) {
  auto results = results_of(measurement, config_, facts(), sets);
  totals_.failed_checks += results.failed_checks;
  totals_.busbw_sum_gbps += results.table.busbw_gbps;
  ++totals_.busbw_rows;
  events_.results(results.groups, totals_);
  return std::move(results.table);
}

}  // namespace

RunTotals run_benchmark(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                        const RunEvents& events) {
  return BenchmarkRun(rank, config, started, events).run();
}

}  // namespace linerate
