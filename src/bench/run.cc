// See run.h.
#include "bench/run.h"

#include "base/log.h"
#include "base/units.h"
#include "bench/calibrate.h"
#include "bench/case_runner.h"
#include "bench/expect/host_expecter.h"
#include "bench/groups.h"
#include "bench/memory_limit.h"
#include "bench/memory_use.h"
#include "bench/pair_search.h"
#include "bench/results.h"
#include "bench/runnable.h"
#include "bench/traffic_source.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace linerate {
namespace {

// A run on one thread, step by step; holds what the steps share.
class BenchmarkRun {
 public:
  BenchmarkRun(const SessionInput& input, const RunInfo& started, const RunEvents& events)
      : events_(events), config_(input.config), session_(input), info_(started) {}

  RunTotals run();

 private:
  void plan();
  void say_without_spare() const;
  void expect();
  void begin();
  void run_cycle(CaseRunner& runner);
  void run_case(CaseRunner& runner, const Case& what);
  Record report(const Measurement& measurement, const std::vector<ThreadSet>& sets);
  void note(const Record& judged);
  std::vector<Suspect> search();
  void end(std::optional<double> first_call_us);
  RunFacts facts() const;

  const RunEvents& events_;
  RunConfig config_;  // with -e lowered to what fits
  Session session_;
  RunInfo info_;
  RunTotals totals_;
  MemoryUse memory_;
  std::unique_ptr<TrafficMatrix> traffic_;
  std::vector<Case> cases_;
  BufferSizes buffers_;
  std::size_t low_bytes_ = 0;  // on rank 0: of the largest result that is low; 0: none is
  std::unique_ptr<HostExpecter> host_bound_;  // null: results do not follow from what it probes
  std::unique_ptr<Expecter> expecter_;        // where they do not; null: nobody can tell
};

RunTotals BenchmarkRun::run() {
  info_.timing = calibrate(session_);
  plan();
  expect();
  begin();
  CaseRunner runner(session_, {.buffers = buffers_,
                               .clock_cost_ns = info_.timing.clock_cost_ns,
                               .traffic = traffic_.get(),
                               .interrupted = events_.interrupted});
  for (std::uint64_t cycle = 0; config_.run_cycles == 0 || cycle < config_.run_cycles; ++cycle) {
    run_cycle(runner);
    if (totals_.interrupted) break;
  }
  totals_.interrupted = totals_.interrupted || session_.any_thread(events_.interrupted());
  if (config_.expects && !totals_.interrupted) totals_.suspects = search();
  session_.enter({.what = "end of the run"});
  end(runner.first_call_us());
  return totals_;
}

void BenchmarkRun::plan() {
  traffic_ = traffic_of(config_, session_.ranks().front().comm().nranks());
  const auto memory_bytes = lower_max_bytes(session_, config_, info_);
  const int nranks = session_.ranks().front().comm().nranks();
  // The same on all threads.
  auto runnable = runnable_cases(plan_cases(config_, smallest_group(config_, session_.nranks())),
                                 session_.ranks().front().comm().inspector());
  if (session_.is_first() && !runnable.note.empty()) say(runnable.note);
  cases_ = std::move(runnable.cases);
  buffers_ = buffer_sizes(buffer_bytes(cases_, nranks, traffic_.get()),
                          config_.verifies_timed_calls() ? memory_bytes : 0);
  say_without_spare();
  memory_.note_initialised(session_);
  session_.allocate(buffers_, config_.unalign * kWidestBytes);
  memory_.note_allocated(session_);
}

void BenchmarkRun::say_without_spare() const {
  const auto behind = config_.sliding == Sliding::slide ? buffers_.bytes / 2 : 0;
  const auto most = std::max(buffers_.spare_bytes, behind);
  if (!session_.is_first() || !config_.verifies_timed_calls() || most >= buffers_.bytes) return;
  say(
      fmt::format("note: memory is short: for sizes above {} one more call is verified instead of "
                  "the last timed one",
                  about_bytes_text(most)));
}

void BenchmarkRun::expect() {
  if (!config_.expects) return;
  host_bound_ = HostExpecter::measure(
      session_, {.cases = cases_,
                 .buffers = buffers_,
                 .traffic = traffic_.get(),
                 .memory = {.barrier_us = info_.timing.barrier_cost_us,
                            .crowded = shares_cores(info_, ranks_on_first_node(session_.infos())),
                            .cache_bytes = events_.cache_bytes}});
  if (!host_bound_) return;
  auto probed = host_bound_->probed();
  info_.memory = std::move(probed.memory);
  info_.network = std::move(probed.network);
}

// The slowest thread's times: each of the three is done when the last one is.
void BenchmarkRun::end(std::optional<double> first_call_us) {
  totals_.memory_bytes = memory_.amounts(session_);
  if (host_bound_) {
    auto probed = host_bound_->measure_again(session_);
    totals_.memory = std::move(probed.memory);
    totals_.network = std::move(probed.network);
  }
  CommTimes times{.init_us = session_.most_of_threads(session_.init_us())};
  if (first_call_us) times.first_call_us = session_.most_of_threads(*first_call_us);
  times.destroy_us = session_.most_of_threads(session_.close());
  totals_.comm_times = times;
}

RunFacts BenchmarkRun::facts() const {
  return {.run_id = info_.run_id,
          .backend = info_.backend,
          .backend_version = info_.backend_version,
          .transport = info_.transport,
          .infos = session_.infos(),
          .traffic = traffic_.get(),
          .expecter = host_bound_ ? host_bound_.get() : expecter_.get()};
}

void BenchmarkRun::begin() {
  session_.describe(info_);
  std::vector<std::uint64_t> row_bytes;
  for (const auto& what : cases_) row_bytes.push_back(what.bytes);
  if (!session_.is_first()) return;
  if (config_.expects && !host_bound_ && events_.expecter) expecter_ = events_.expecter(info_);
  events_.begin(info_, row_bytes);
}

void BenchmarkRun::run_cycle(CaseRunner& runner) {
  for (const auto& what : cases_) {
    totals_.interrupted = session_.any_thread(events_.interrupted());
    if (totals_.interrupted) return;
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
  if (results.table.expected) note(results.table);
  totals_.busbw_sum_gbps += results.table.busbw_gbps;
  ++totals_.busbw_rows;
  events_.results(results.groups, totals_);
  return std::move(results.table);
}

// Where the network's probe has named a node already, pairs of ranks are not asked.
std::vector<Suspect> BenchmarkRun::search() {
  const bool named = low_bytes_ > 0 && host_bound_ && !host_bound_->slow_nodes().empty();
  const auto found = search_slow_pairs(session_, named ? 0 : low_bytes_);
  return named ? host_bound_->slow_nodes() : found;
}

void BenchmarkRun::note(const Record& judged) {
  totals_.note(efficiency(judged));
  if (verdict_of(judged) == Verdict::low)
    low_bytes_ = std::max(low_bytes_, std::max<std::size_t>(1, judged.what.bytes));
}

}  // namespace

RunTotals run_benchmark(const SessionInput& input, const RunInfo& started,
                        const RunEvents& events) {
  BenchmarkRun run(input, started, events);
  return reporting(input, [&] { return run.run(); });
}

}  // namespace linerate
