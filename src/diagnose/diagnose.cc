// The table of rules, and what is made of their findings together.
#include "diagnose/diagnose.h"

#include "record/verdict.h"

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {"unstable_machine", rules::unstable_machine, Severity::info,
     "memory or a network that changed during the run",
     "if the probes before and after the run differ by more than a factor of 1.2, up or down, in "
     "the bound of any result",
     "Results lie between two answers: all other findings get half the confidence.",
     "see what else runs here, and measure again"},
    {"busy_core", rules::busy_core, Severity::warning,
     "ranks that waited while others had their cores",
     "if a rank waited 10 % of all measured time, and half of what the rank does that waited most; "
     "not where ranks share cores with each other",
     "A collective waits for its last rank.",
     "see what else runs on these cores, and bind each rank to one of its own"},
    {"above_bound", rules::above_bound, Severity::warning,
     "results that are faster than is possible", "above expected_high_gbps",
     "The bound is wrong, or the measurement.", "please report it"},
    {"below_bound", rules::below_bound, Severity::warning, "results that are low",
     "below expected_low_gbps divided by the slack of the run",
     "A healthy run of such ranks is faster.",
     "look at the findings beside it, which name causes; else see docs/low-result.md"},
    {"near_bound", rules::near_bound, Severity::info,
     "results that may be low, and may be disturbed",
     "below expected_low_gbps, by less than the slack of the run",
     "What disturbed the run may explain them.",
     "measure again on a quiet machine, with more iterations"},
    {"late_rank", rules::late_rank, Severity::warning, "the rank that all others wait for",
     "if it enters the lowest result later than the first rank by 10 % of the result's time",
     "The others are not slow: they wait.", "see what else runs on its core"},
    {"slow_node", rules::slow_node, Severity::warning, "a node whose network is slow",
     "if it reaches less than half of the median of three nodes or more in the probe before the "
     "run",
     "All that it sends or receives holds up the job.",
     "look at its NIC, its cable and its port, and what else uses them: linerate doctor there"},
    {"slow_component", rules::slow_component, Severity::warning,
     "a rank, node, link or rack that slow pairs of ranks share",
     "if pairs take 1.2 times the fault-free time; where that is unknown, twice the time of the "
     "fastest quarter of similar pairs, for three pairs at least",
     "What they share is slow, and not the whole machine.",
     "look at what the finding names: the rank's core, the node's NIC, the link's cable and ports"},
});

constexpr double kDoubt = 0.5;  // of other findings on an unstable machine

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

std::vector<RuleText> run_rule_texts() { return texts_of(kRules, &Rule::name); }

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
