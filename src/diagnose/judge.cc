// Keeps the results that have a bound; rules look at all of them at the end.
#include "diagnose/judge.h"

#include "diagnose/bound.h"
#include "diagnose/rules.h"
#include "record/verdict.h"

#include <algorithm>
#include <array>
#include <utility>

namespace linerate {
namespace {

// Low is worse than above the bound, and that than ok; groups of other sizes are low at other
// fractions.
bool is_worse(const Record& one, const Record& other) {
  constexpr std::array kFromWorst{Verdict::low, Verdict::above, Verdict::ok};
  const auto place = [&](const Record& record) {
    return std::ranges::find(kFromWorst, verdict_of(record));
  };
  if (place(one) != place(other)) return place(one) < place(other);
  const bool farther_above = efficiency(one) > efficiency(other);
  return verdict_of(one) == Verdict::above ? farther_above : !farther_above;
}

// A bound of which `row` reaches as much as the worst of its groups reaches of its own.
std::optional<Expectation> bound_of_worst(std::span<const Record> groups, const Record& row) {
  const Record* worst = nullptr;
  for (const auto& group : groups)
    if (group.what.placement == row.what.placement && group.expected &&
        (worst == nullptr || is_worse(group, *worst)))
      worst = &group;
  if (worst == nullptr || efficiency(*worst) <= 0 || row.busbw_gbps <= 0) return std::nullopt;
  auto bound = worst->expected;
  bound->busbw_gbps = slowest_busbw_gbps(row) / efficiency(*worst);
  return bound;
}

Record without_samples(Record record) {
  if (record.samples) record.samples->raw_us.clear();
  return record;
}

}  // namespace

void Judge::begin(const RunInfo& run, std::unique_ptr<const PerformanceModel> model,
                  const TrafficMatrix* traffic) {
  run_ = run;
  model_ = std::move(model);
  traffic_ = traffic;
}

void Judge::add_bounds(std::span<Record> groups) {
  for (auto& record : groups) {
    record.expected = bound_of(record, model_.get(), traffic_);
    if (run_.ngroups > 1) groups_.push_back(without_samples(record));
  }
}

void Judge::add_bounds_to_row(std::span<Record> row) {
  for (auto& record : row) {
    record.expected = run_.ngroups > 1 ? bound_of_worst(groups_, record)
                                       : bound_of(record, model_.get(), traffic_);
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

Judgement Judge::judgement(const After& after) const {
  if (results_.empty()) return {};
  Judgement judgement{.findings = diagnose({.run = run_,
                                            .results = results_,
                                            .memory_after = after.memory,
                                            .network_after = after.network,
                                            .pairs = after.pairs}),
                      .lowest = *std::ranges::min_element(results_, {}, efficiency)};
  judgement.verdict = overall_verdict(judgement.findings);
  return judgement;
}

}  // namespace linerate
