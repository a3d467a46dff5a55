// Pairs are tested in rounds; rank 0 gathers and reports each.
#include "base/clock.h"
#include "base/units.h"
#include "bench/layout.h"
#include "bench/measured_run.h"
#include "bench/pair_test.h"
#include "bench/pairs.h"
#include "bench/run.h"
#include "launch/turns.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

namespace linerate {
namespace {

class P2pRun final : public MeasuredRun {
 public:
  P2pRun(RankContext& rank, const BenchConfig& config, const RunInfo& started,
         const RunEvents& events)
      : MeasuredRun(rank, config, started, events) {
    if (session_.is_first()) turns_ = TurnTaker::at(config_.turns);
  }

 private:
  BufferSizes plan(std::size_t memory_bytes) override {
    return buffer_sizes(config_.max_bytes, config_.max_bytes, config_.check > 0 ? memory_bytes : 0);
  }
  void begin() override { events_.begin({.info = info_}); }
  void measure() override;
  void run_round(const Round& round);
  bool takes_part(const std::vector<PairTest>& tests) const;
  void run_tests(const std::vector<PairTest>& tests);
  Record record_of(const PairTest& test, PairTiming& timing) const;

  std::unique_ptr<TurnTaker> turns_;  // on rank 0, where it takes turns with another program
};

void P2pRun::measure() {
  for (const auto& round : pair_rounds(session_.nranks(), config_.at_once)) {
    run_round(round);
    if (totals_.interrupted) return;
  }
}

void P2pRun::run_round(const Round& round) {
  std::vector<PairTest> latency, forward, backward, both;
  for (const auto& [a, b] : round) {
    latency.push_back({PairKind::latency, a, b, config_.min_bytes});
    forward.push_back({PairKind::unidirectional, a, b, config_.max_bytes});
    backward.push_back({PairKind::unidirectional, b, a, config_.max_bytes});
    both.push_back({PairKind::bidirectional, a, b, config_.max_bytes});
  }
  for (const auto& tests : {latency, forward, backward, both}) {
    if (interrupted()) return;
    run_tests(tests);
  }
}

bool P2pRun::takes_part(const std::vector<PairTest>& tests) const {
  return std::ranges::any_of(session_.ranks(), [&](const LocalRank& local) {
    return std::ranges::any_of(tests, [&](const PairTest& test) {
      return local.rank == test.source || local.rank == test.dest;
    });
  });
}

// All tests run at once; a thread of none of them sleeps in the bootstrap's barrier, where all wait
// for the turn of rank 0.
void P2pRun::run_tests(const std::vector<PairTest>& tests) {
  session_.enter({.what = takes_part(tests) ? "timed loop" : "wait for other pairs",
                  .collective = name_of(tests.front().kind),
                  .bytes = tests.front().bytes,
                  .placement = "out of place"});
  if (turns_ != nullptr) turns_->next([this] { return session_.rank().interrupted(); });
  auto timings = time_at_once(session_, tests, repeats_of(config_));
  if (!session_.is_first()) return;
  std::vector<Record> records;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    records.push_back(record_of(tests[t], timings[t]));
    totals_.failed_checks += records.back().where ? 1 : 0;
  }
  for (auto& record : records) {
    events_.results({&record, 1}, totals_);
    events_.row({&record, 1});
  }
}

Record P2pRun::record_of(const PairTest& test, PairTiming& timing) const {
  const double trips = test.kind == PairKind::latency ? 2 : 1;
  const double directions = test.kind == PairKind::bidirectional ? 2 : 1;
  Record record{.run_id = info_.run_id,
                .what = {.collective = std::string(name_of(test.kind)),
                         .type = "uint8",
                         .redop = "none",
                         .bytes = test.bytes,
                         .count = test.bytes},
                .nranks = 2,
                .backend = info_.backend,
                .backend_version = info_.backend_version,
                .transport = info_.transport,
                .window = {.iters = config_.iters},
                .pair = std::pair{test.source, test.dest},
                .timestamp = utc_text(std::chrono::system_clock::now())};
  const auto node_of = [&](int rank) { return info_.ranks[static_cast<std::size_t>(rank)].node; };
  record.nnodes = node_of(test.source) == node_of(test.dest) ? 1 : 2;
  record.window.time_us = static_cast<double>(timing.elapsed_ns) / kNsPerUs /
                          static_cast<double>(config_.iters) / trips;
  for (auto& us : timing.iteration_us) us /= trips;
  record.samples = SampleInfo{.us = stats::summarize(timing.iteration_us)};
  record.algbw_gbps = gbps_of(directions * static_cast<double>(test.bytes), record.window.time_us);
  record.busbw_gbps = record.algbw_gbps;
  if (config_.check > 0) add_checks(timing.checks, std::array{test.source, test.dest}, record);
  if (timing.modelled && timing.modelled->real_ns > 0)
    record.window.fault_free_us = record.window.time_us *
                                  static_cast<double>(timing.modelled->healthy_ns) /
                                  static_cast<double>(timing.modelled->real_ns);
  return record;
}

}  // namespace

RunTotals run_p2p(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                  const RunEvents& events) {
  return P2pRun(rank, config, started, events).run();
}

}  // namespace linerate
