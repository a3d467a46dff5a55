// The table of rules, and what is made of their findings together.
#include "diagnose/diagnose.h"

#include "record/verdict.h"

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {"unstable_machine", rules::unstable_machine},
    {"busy_core", rules::busy_core},
    {"above_bound", rules::above_bound},
    {"below_bound", rules::below_bound},
    {"near_bound", rules::near_bound},
    {"late_rank", rules::late_rank},
    {"slow_node", rules::slow_node},
    {"slow_component", rules::slow_component},
});

constexpr double kDoubt = 0.5;  // of other findings on an unstable machine

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

std::vector<Finding> diagnose(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& rule : kRules)
    for (auto& finding : rule.find(evidence)) {
      if (find_finding(findings, "unstable_machine") != nullptr) finding.confidence *= kDoubt;
      finding.run_id = evidence.run.run_id;
      finding.rule = rule.name;
      findings.push_back(std::move(finding));
    }
  return findings;
}

std::string_view overall_verdict(std::span<const Record> results) {
  for (const auto verdict : {Verdict::low, Verdict::above, Verdict::unsure})
    if (std::ranges::find(results, verdict, verdict_of) != results.end()) return name_of(verdict);
  return name_of(Verdict::ok);
}

const Record* rules::lowest_of_low(const Evidence& evidence) {
  const Record* lowest = nullptr;
  for (const auto& record : evidence.results)
    if (verdict_of(record) == Verdict::low &&
        (lowest == nullptr || efficiency(record) < efficiency(*lowest)))
      lowest = &record;
  return lowest;
}

}  // namespace linerate
