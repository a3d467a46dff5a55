// Results get their bound before they go on; a run is judged once, when its last result is there.
#include "commands/one_run.h"

#include "base/log.h"
#include "bench/survey/machine_facts.h"
#include "commands/watched_health.h"
#include "diagnose/nccl_model.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace linerate {

Refusal OneRun::open_outputs(JobProgress& progress, SuiteTable* table) {
  auto outputs = Outputs::open(config_, input_, {.progress = progress.line(), .table = table});
  if (!outputs) return outputs.sentence();
  progress_ = &progress;
  outputs_ = *std::move(outputs);
  return {};
}

OneRun::Outcome OneRun::measure(RankContext& rank, const Start& start, bool alone) {
  BenchConfig config = config_;
  config.observes_calls = start.observes_calls;
  config.another_follows = start.another_follows;
  const auto run = config.collective == nullptr ? run_p2p : run_benchmark;
  const auto events = events_of(rank);
  if (rank.is_first()) rank.tell_stages([this](const Stage& stage) { progress_->stage(stage); });
  const auto totals = watched(rank, [&] { return run(rank, config, start.info, events); });
  if (totals.refusal && alone) throw Unavailable(*totals.refusal);
  Outcome outcome{.interrupted = totals.interrupted};
  if (!rank.is_first()) return outcome;
  totals_ = totals;
  judgement_ = judgement(totals);
  outcome.code = verdict(totals, *judgement_);
  return outcome;
}

// With --watch-health. A run that fails tells of rank 0's node alone: other nodes may be lost.
RunTotals OneRun::watched(RankContext& rank, const std::function<RunTotals()>& run) {
  if (!config_.watches_health) return run();
  WatchedHealth health(rank, input_.environment);
  RunTotals totals;
  try {
    totals = run();
  } catch (...) {
    if (rank.is_first()) health_ = {health.own()};
    throw;
  }
  auto nodes = health.gather(rank);
  if (rank.is_first()) health_ = std::move(nodes);
  return totals;
}

RunEvents OneRun::events_of(const RankContext& rank) {
  if (!rank.is_first()) return {};
  return {.begin =
              [this](const RunStart& start) {
                begin_judging(start);
                outputs_->begin(start);
              },
          .results =
              [this](std::span<Record> groups, const RunTotals& so_far) {
                progress_->result();
                if (config_.expects) judge_.add_bounds(groups);
                outputs_->results(groups, so_far);
              },
          .row =
              [this](std::span<Record> row) {
                if (config_.expects) judge_.add_bounds_to_row(row);
                outputs_->row(row);
              },
          .pair_bytes = [this] { return judge_.pair_bytes(); },
          .cache_bytes = known_cache_bytes(rank)};
}

void OneRun::begin_judging(const RunStart& start) {
  std::unique_ptr<PerformanceModel> model;
  if (config_.expects && config_.collective != nullptr) {
    auto found = model_for(start.info, start.limits, input_.environment);
    if (found)
      model = std::move(found).value();
    else
      why_no_bound_ = found.sentence();
  }
  progress_->begin(config_, start, model.get());
  judge_.begin(start.info, std::move(model), start.traffic);
}

Judgement OneRun::judgement(const RunTotals& totals) const {
  return judge_.judgement(
      {.memory = totals.memory, .network = totals.network, .pairs = totals.pairs});
}

// As `linerate topo --measure` found it.
std::size_t OneRun::known_cache_bytes(const RankContext& rank) const {
  if (!config_.expects || rank.capabilities().device_memory) return 0;
  std::string complaint;
  const auto facts = find_facts(input_.environment, complaint);
  if (!complaint.empty()) say("note: " + complaint);
  return facts ? cache_end(facts->survey) : 0;
}

ExitCode OneRun::verdict(const RunTotals& totals, const Judgement& judgement) const {
  if (totals.refusal) return ExitCode::unavailable;
  if (totals.interrupted) return ExitCode::interrupted;
  if (totals.failed_checks > 0) return ExitCode::failed;
  if (misses_average(totals)) return ExitCode::finding;
  const auto result = pass_gate({.fail_below = config_.fail_below,
                                 .fail_unsure = config_.fail_unsure,
                                 .lists_verdicts = config_.lists_verdicts,
                                 .expects = config_.expects,
                                 .pairs = config_.collective == nullptr},
                                judgement, why_no_bound_);
  if (!result.sentence.empty()) say(result.sentence);
  return result.code;
}

// NCCL_TESTS_MIN_BW
bool OneRun::misses_average(const RunTotals& totals) const {
  const auto& wanted = config_.min_bw_gbps;
  return wanted && !fast_enough(totals.average_busbw_gbps(), *wanted);
}

// What the end of a run that did not fail says beside its numbers.
std::optional<std::string> OneRun::remark(ExitCode code) const {
  if (totals_.refusal) {
    say(fmt::format("{}: {}", config_.program, *totals_.refusal));
    return totals_.refusal;
  }
  if (code == ExitCode::interrupted && !input_.interrupted())
    say("interrupted by a signal that another rank heard");
  if (code == ExitCode::interrupted)
    return "interrupted by a signal: what follows the last row was not measured";
  if (code == ExitCode::finding && misses_average(totals_))
    say(fmt::format("NCCL_TESTS_MIN_BW={} GB/s is missed: the average bus bandwidth is {:.4g} GB/s",
                    *config_.min_bw_gbps, totals_.average_busbw_gbps()));
  return std::nullopt;
}

void OneRun::end(ExitCode code, const std::optional<std::string>& failure) {
  const auto& totals = failure ? outputs_->so_far() : totals_;
  outputs_->end(totals, {.exit_code = code,
                         .error = failure ? failure : remark(code),
                         .judgement = judgement_ ? *judgement_ : judgement(totals),
                         .health = health_});
}

}  // namespace linerate
