// Pairs are tested in rounds; rank 0 gathers, judges and reports each.
#include "bench/p2p.h"

#include "base/clock.h"
#include "base/wire.h"
#include "bench/expect/healthy_bound.h"
#include "bench/expect/pair_expecter.h"
#include "bench/expect/suspects.h"
#include "bench/layout.h"
#include "bench/measured_run.h"
#include "bench/pair_search.h"
#include "bench/pair_test.h"
#include "bench/pairs.h"
#include "record/verdict.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace linerate {
namespace {

class P2pRun final : public MeasuredRun {
 public:
  using MeasuredRun::MeasuredRun;

 private:
  BufferSizes plan(std::size_t memory_bytes) override {
    return buffer_sizes(config_.max_bytes, config_.check > 0 ? memory_bytes : 0);
  }
  void expect() override;
  std::vector<std::uint64_t> prepare_results() override { return {}; }
  void measure() override;
  std::vector<Suspect> suspects() override;
  void ask_again() override;

  void run_round(const Round& round);
  bool takes_part(const std::vector<PairTest>& tests) const;
  void run_tests(const std::vector<PairTest>& tests);
  Record record_of(const PairTest& test, PairTiming& timing) const;
  void judge(const std::vector<PairTest>& tests, const std::vector<PairTiming>& timings,
             std::vector<Record>& records) const;
  void note_pair(const Record& record);

  std::unique_ptr<PairExpecter> memory_bound_;  // null: messages go through no memory of one host
  std::vector<PairSlowness> slowness_;          // on rank 0
};

void P2pRun::measure() {
  for (const auto& round : pair_rounds(session_.nranks(), config_.at_once)) {
    run_round(round);
    if (totals_.interrupted) return;
  }
}

void P2pRun::expect() {
  memory_bound_ = PairExpecter::measure(
      session_, {.config = config_,
                 .memory = {.barrier_us = info_.timing.barrier_cost_us,
                            .crowded = shares_cores(info_, ranks_on_first_node(session_.infos())),
                            .cache_bytes = events_.cache_bytes}});
  if (memory_bound_) info_.memory = memory_bound_->points();
}

void P2pRun::ask_again() {
  if (memory_bound_) totals_.memory = memory_bound_->measure_again(session_);
}

// By what the tests said where the backend knows what is lost; else pairs are asked once more.
std::vector<Suspect> P2pRun::suspects() {
  if (memory_bound_) return search_slow_pairs(session_, low_bytes_);
  return session_.is_first() ? suspects_of(slowness_, nodes_of(session_.infos()))
                             : std::vector<Suspect>();
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

// All tests run at once; a thread of none of them sleeps in the bootstrap's barrier.
void P2pRun::run_tests(const std::vector<PairTest>& tests) {
  session_.enter({.what = takes_part(tests) ? "timed loop" : "wait for other pairs",
                  .collective = name_of(tests.front().kind),
                  .bytes = tests.front().bytes,
                  .placement = "out of place"});
  session_.members().barrier(Deadline::never());
  WireWriter out;
  for (std::size_t t = 0; t < tests.size(); ++t)
    for (const auto& timing : run_pair_test(session_, tests[t], repeats_of(config_))) {
      out.put(t);
      put_timing(out, timing);
    }
  const auto gathered = session_.members().gather(out.bytes(), Deadline::never());
  if (!session_.is_first()) return;
  std::vector<PairTiming> timings(tests.size());
  for (const auto& bytes : gathered) {
    for (WireReader in(bytes); !in.empty();) {
      const auto t = in.get<std::size_t>();
      merge(timings.at(t), get_timing(in));
    }
  }
  std::vector<Record> records;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    records.push_back(record_of(tests[t], timings[t]));
    totals_.failed_checks += records.back().where ? 1 : 0;
  }
  if (memory_bound_) judge(tests, timings, records);
  for (const auto& record : records) {
    note_pair(record);
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
                .nnodes = 1,
                .backend = info_.backend,
                .backend_version = info_.backend_version,
                .transport = info_.transport,
                .window = {.iters = config_.iters},
                .pair = std::pair{test.source, test.dest}};
  const auto node_of = [&](int rank) { return info_.ranks[static_cast<std::size_t>(rank)].node; };
  record.nnodes = node_of(test.source) == node_of(test.dest) ? 1 : 2;
  record.window.time_us = static_cast<double>(timing.elapsed_ns) / kNsPerUs /
                          static_cast<double>(config_.iters) / trips;
  for (auto& us : timing.iteration_us) us /= trips;
  record.samples = SampleInfo{.us = stats::summarize(timing.iteration_us)};
  if (record.window.time_us > 0)
    record.algbw_gbps =
        directions * static_cast<double>(test.bytes) / record.window.time_us / kNsPerUs;
  record.busbw_gbps = record.algbw_gbps;
  if (config_.check > 0) add_checks(timing.checks, std::array{test.source, test.dest}, record);
  if (config_.expects && timing.modelled && timing.modelled->real_ns > 0)
    record.expected = healthy_bound(record, record.window.time_us *
                                                static_cast<double>(timing.modelled->healthy_ns) /
                                                static_cast<double>(timing.modelled->real_ns));
  return record;
}

void P2pRun::judge(const std::vector<PairTest>& tests, const std::vector<PairTiming>& timings,
                   std::vector<Record>& records) const {
  std::vector<PairRun> round;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    const auto start_ns = timings[t].start_ns;
    const bool one_way = tests[t].kind == PairKind::unidirectional;
    round.push_back({.bytes = tests[t].bytes,
                     .messages = config_.iters * (one_way ? 1 : 2),
                     .ways = tests[t].kind == PairKind::bidirectional ? 2 : 1,
                     .busbw_gbps = records[t].busbw_gbps,
                     .span = {.start_ns = start_ns, .end_ns = start_ns + timings[t].elapsed_ns}});
  }
  const auto bounds = memory_bound_->of(round);
  for (std::size_t t = 0; t < tests.size(); ++t) records[t].expected = bounds[t];
}

// What is slow is told at the end.
void P2pRun::note_pair(const Record& record) {
  if (!record.expected) return;
  note(record);
  slowness_.push_back({.pair = *record.pair,
                       .one_way = record.what.collective == name_of(PairKind::unidirectional),
                       .slowdown = 1 / efficiency(record)});
}

}  // namespace

RunTotals run_p2p(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                  const RunEvents& events) {
  return P2pRun(rank, config, started, events).run();
}

}  // namespace linerate
