// Judges results: how fast they should have been, and what is wrong where they were not.
//
// Everything here is pure: Evidence -> Findings, on any machine, while a run lasts or from its
// records. Benchmarks measure and know nothing of it. The parts:
//   judge         follows a run: adds bounds to its results (the backend's fault-free time, or a
//                 PerformanceModel), judges them when it ends; the exit code of --fail-below
//   nccl_model    the PerformanceModel of NCCL on GPUs (that of host memory: src/model)
//   diagnose.cc   the table of rules: one row and one file of 20 to 90 lines each
//   common_cause  what slow pairs of ranks have in common
// A new rule is one file, its declaration below and one row in diagnose.cc: docs/add-a-rule.md.
#pragma once

#include "record/record.h"
#include "record/rule_text.h"

#include <span>
#include <string_view>
#include <vector>

namespace linerate {

// Between the probes before and after a run: by which factor what they say of its results differs.
struct MachineChange {
  double factor = 1;
  std::string_view what = "memory";  // or "the network"
};

// What rules look at.
struct Evidence {
  const RunInfo& run;                 // with what was probed before the first result
  std::span<const Record> results{};  // rows that have a bound, their bands as wide as they become
  MachineChange change{};
  std::span<const PairTime> pairs{};  // messages between pairs, where results were low
};

struct Rule {
  std::string_view name;  // Finding::rule
  std::vector<Finding> (*find)(const Evidence&);
  Severity severity = Severity::warning;  // that of its findings
  std::string_view finds{};               // a phrase
  std::string_view speaks{};              // "if …", with its threshold
  std::string_view why{}, remedy{};       // as of RuleText
};

// In the order in which they run: what disturbs all others comes first.
std::span<const Rule> all_rules();
std::vector<RuleText> run_rule_texts();

// Of each rank thread, the share of all measured time that it waited while others had its core.
// Empty where that is unknown, or means little: ranks that share cores wait for each other, and a
// GPU works on while its host thread waits.
std::vector<double> waiting_shares(const RunInfo& run, std::span<const Record> results);

// What all rules find. On an unstable machine other findings have less confidence.
std::vector<Finding> diagnose(const Evidence& evidence);

// All results in a word: "low" where one is; else "above", "unsure" or "ok", likewise.
std::string_view overall_verdict(std::span<const Record> results);

// The rules, one file each, in the order of the table in diagnose.cc.
namespace rules {

std::vector<Finding> unstable_machine(const Evidence& evidence);
std::vector<Finding> busy_core(const Evidence& evidence);
std::vector<Finding> above_bound(const Evidence& evidence);
std::vector<Finding> below_bound(const Evidence& evidence);
std::vector<Finding> near_bound(const Evidence& evidence);
std::vector<Finding> late_rank(const Evidence& evidence);
std::vector<Finding> slow_node(const Evidence& evidence);
std::vector<Finding> slow_component(const Evidence& evidence);

// The result that is low and furthest below its bound; null: none is low.
const Record* lowest_of_low(const Evidence& evidence);

}  // namespace rules
}  // namespace linerate
