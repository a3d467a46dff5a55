// Keeps the results that have a bound; rules look at all of them at the end.
#include "diagnose/judge.h"

#include "collectives/collective.h"
#include "comm/data_type.h"
#include "diagnose/diagnose.h"
#include "model/host_model.h"
#include "model/model.h"
#include "record/record.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace linerate {
namespace {

// The fake's noise: with noise=5% the slowest of 64 ranks takes 1.12 times as long.
constexpr double kHealthy = 0.85;

RedOp op_of(const Collective& collective, const Record& record) {
  const auto op = parse_red_op(record.what.redop);
  return collective.reduces && op ? *op : RedOp::max;
}

std::optional<ModeledCall> call_of(const Record& record, const TrafficMatrix* traffic) {
  const auto* collective = find_collective(record.what.collective);
  const auto type = parse_data_type(record.what.type);
  if (collective == nullptr || !type) return std::nullopt;
  return ModeledCall{.collective = collective,
                     .type = *type,
                     .op = op_of(*collective, record),
                     .root = std::max(0, record.what.root),
                     .placement = record.what.placement,
                     .sizing = {.count = record.what.count,
                                .nranks = record.nranks,
                                .traffic = collective->varies ? traffic : nullptr,
                                .type = *type}};
}

// From the fault-free time: a healthy run loses nothing but noise.
std::optional<Expectation> bound_without_faults(const Record& record) {
  const auto& window = record.window;
  if (*window.fault_free_us <= 0 || record.busbw_gbps <= 0) return std::nullopt;
  return band_below(record.busbw_gbps * window.time_us / *window.fault_free_us, kHealthy,
                    "healthy network");
}

// Groups of other sizes are low at other fractions.
bool is_worse(const Record& one, const Record& other) {
  constexpr std::array kFromWorst{Verdict::low, Verdict::above, Verdict::unsure, Verdict::ok};
  const auto place = [&](const Record& record) {
    return std::ranges::find(kFromWorst, verdict_of(record));
  };
  if (place(one) != place(other)) return place(one) < place(other);
  const bool farther_above = efficiency(one) > efficiency(other);
  return verdict_of(one) == Verdict::above ? farther_above : !farther_above;
}

Expectation scaled(Expectation expected, double factor) {
  for (const auto gbps :
       {&Expectation::busbw_gbps, &Expectation::low_gbps, &Expectation::high_gbps})
    expected.*gbps *= factor;
  if (expected.ncclmodel_busbw_gbps) *expected.ncclmodel_busbw_gbps *= factor;
  return expected;
}

// A bound of which `row` reaches as much as the worst of its groups reaches of its own; that of its
// only group, which is the row itself.
std::optional<Expectation> bound_of_worst(std::span<const Record> groups, const Record& row,
                                          int ngroups) {
  const Record* worst = nullptr;
  for (const auto& group : groups)
    if (group.what.placement == row.what.placement && group.expected &&
        (worst == nullptr || is_worse(group, *worst)))
      worst = &group;
  if (worst == nullptr) return std::nullopt;
  if (ngroups == 1) return worst->expected;
  if (efficiency(*worst) <= 0 || row.busbw_gbps <= 0) return std::nullopt;
  return scaled(*worst->expected, slowest_busbw_gbps(row) / slowest_busbw_gbps(*worst));
}

Record without_samples(Record record) {
  if (record.samples) record.samples->raw_us.clear();
  return record;
}

std::string reason(const Gate& gate, const std::string& why) {
  if (!gate.expects) return "--expect off asks for no bound";
  if (gate.pairs)
    return "pairs of ranks have a bound on emulated networks and on the fake backend only";
  if (!why.empty()) return why;
  return "the bound of these calls and sizes is not known";
}

GateResult nothing_judged(const Gate& gate, const std::string& why) {
  const std::string_view advice = "see docs/verdicts.md for what is known";
  if (gate.fail_below)
    return {ExitCode::unavailable,
            fmt::format("--fail-below: nothing was judged: {}. Leave it out, or {}.",
                        reason(gate, why), advice)};
  if (!gate.lists_verdicts) return {};
  return {ExitCode::ok,
          fmt::format("note: --verdict: nothing was judged: {}; {}", reason(gate, why), advice)};
}

}  // namespace

void Judge::begin(const RunInfo& run, std::unique_ptr<const PerformanceModel> model,
                  std::shared_ptr<const TrafficMatrix> traffic) {
  run_ = run;
  model_ = std::move(model);
  traffic_ = std::move(traffic);
}

// From the fault-free time, where the backend knows it, else from the model, for collectives
// without groups. Nothing where the bound is not known, or the result has no bandwidth.
std::optional<Expectation> Judge::bound_of(const Record& record) const {
  if (record.window.fault_free_us) return bound_without_faults(record);
  const auto call = model_ ? call_of(record, traffic_.get()) : std::nullopt;
  auto expected = call ? model_->bound(*call) : std::nullopt;
  if (!expected) return std::nullopt;
  // A GPU works on while its host thread waits; ranks that share cores wait for each other.
  const bool on_cores = run_.nccl_version == 0;
  expected->slack *= disturbance(record, on_cores && !shares_cores(run_, run_.ranks));
  return expected;
}

void Judge::add_bounds(std::span<Record> groups) {
  for (auto& record : groups) {
    record.expected = bound_of(record);
    groups_.push_back(without_samples(record));
  }
}

void Judge::add_bounds_to_row(std::span<Record> row) {
  for (auto& record : row) {
    record.expected = bound_of_worst(groups_, record, run_.ngroups);
    if (record.expected) results_.push_back(without_samples(record));
  }
  groups_.clear();
}

std::size_t Judge::pair_bytes() const {
  const Evidence evidence{.run = run_, .results = results_};
  if (!rules::slow_node(evidence).empty()) return 0;
  std::size_t bytes = 0;
  for (const auto& record : results_)
    if (verdict_of(record) == Verdict::low)
      bytes = std::max({bytes, std::size_t{1}, static_cast<std::size_t>(record.what.bytes)});
  return bytes;
}

// The most of all results: what binds them may have changed for some only.
MachineChange Judge::change(const After& after) const {
  MachineChange change;
  const auto later = model_ ? model_->probed_again(after.memory, after.network) : nullptr;
  if (!later) return change;
  for (const auto& record : results_) {
    const auto call = call_of(record, traffic_.get());
    const auto is = call ? later->bound(*call) : std::nullopt;
    if (!is || is->busbw_gbps <= 0) continue;
    const double factor = is->busbw_gbps / record.expected->busbw_gbps;
    if (const double by = std::max(factor, 1 / factor); by > change.factor)
      change = {.factor = by,
                .what = is->bound_by.starts_with("network") ? "the network" : "memory"};
  }
  return change;
}

// Who takes a part of the cores takes the caches too, and does so while the probes run.
double Judge::busy_factor() const {
  constexpr double kMost = 0.9;
  const auto shares = waiting_shares(run_, results_);
  return shares.empty() ? 1 : 1 / (1 - std::min(kMost, std::ranges::max(shares)));
}

Judgement Judge::judgement(const After& after) const {
  if (results_.empty()) return {};
  const auto change = this->change(after);
  const double slack = change.factor * busy_factor();
  std::vector<Record> results;
  for (const auto& record : results_) results.push_back(widened(record, slack));
  return {.verdict = std::string(overall_verdict(results)),
          .slack = slack,
          .findings =
              diagnose({.run = run_, .results = results, .change = change, .pairs = after.pairs}),
          .lowest = *std::ranges::min_element(results, {}, efficiency),
          .surely_lowest = *std::ranges::min_element(results, {}, possible_efficiency)};
}

namespace {

// What disturbed the run, each as a sentence with a blank before it.
std::string disturbances(std::span<const Finding> findings) {
  std::string text;
  for (const auto* rule : {"unstable_machine", "busy_core"})
    if (const auto* found = find_finding(findings, rule))
      text += fmt::format(" Beside it, {} {}; {}.", found->subject, found->evidence, found->advice);
  return text;
}

}  // namespace

// A result that may have been fast enough without what disturbed it is no failure.
GateResult pass_gate(const Gate& gate, const Judgement& judgement,
                     const std::string& why_no_bound) {
  if (!judgement.lowest) return nothing_judged(gate, why_no_bound);
  if (!gate.fail_below || efficiency(*judgement.lowest) >= *gate.fail_below) return {};
  const auto beside = disturbances(judgement.findings);
  if (possible_efficiency(*judgement.surely_lowest) < *gate.fail_below)
    return {ExitCode::finding, fmt::format("--fail-below {}: {}.{}", *gate.fail_below,
                                           reached_text(*judgement.surely_lowest), beside)};
  return {gate.fail_unsure ? ExitCode::finding : ExitCode::ok,
          fmt::format("{}--fail-below {}: unsure: {}; undisturbed it may reach {:.2f}.{}",
                      gate.fail_unsure ? "" : "warning: ", *gate.fail_below,
                      reached_text(*judgement.lowest),
                      std::min(1.0, possible_efficiency(*judgement.lowest)), beside)};
}

std::string why_no_bound(const RunInfo& run) {
  if (run.nranks < 2) return "one rank alone sends nothing";
  if (run.nranks > HostModel::kMaxRanks)
    return fmt::format("the bound of more than {} ranks takes longer than it is worth",
                       HostModel::kMaxRanks);
  if (run.nnodes > 1 && run.ngroups > 1)
    return fmt::format(
        "{} groups of ranks share the network of {} hosts, and what is left to each is not known",
        run.ngroups, run.nnodes);
  if (run.nnodes > 1 && is_tcp(run.transport))
    return fmt::format("the bound of {} hosts is their network's, and it could not be probed",
                       run.nnodes);
  if (run.nnodes > 1)
    return fmt::format(
        "the bound of {} hosts is their network's, and how {} uses it is not known", run.nnodes,
        run.transport.empty() ? run.backend : fmt::format("{} ({})", run.backend, run.transport));
  if (run.ngroups == run.nranks)
    return fmt::format("each of the {} groups is one rank alone, which sends nothing", run.ngroups);
  if (run.ngroups > 1)
    return fmt::format(
        "{} groups of ranks share the memory of one host, and what is left to each is not known",
        run.ngroups);
  return {};
}

}  // namespace linerate
