// What slow pairs of ranks have in common: a rank, a link, a node, a rack.
#include "diagnose/common_cause.h"
#include "diagnose/diagnose.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace linerate {
namespace {

// Where times are compared with their like, no less than a rank's pairs with two others are
// believed, and no pair that takes less than twice as long.
constexpr double kSlowMeasured = 2;
constexpr std::size_t kMinMeasuredPairs = 3;

std::vector<int> nodes_of(const RunInfo& run) {
  std::vector<int> nodes;
  for (const auto& rank : run.ranks) nodes.push_back(rank.node);
  return nodes;
}

// Where the fault-free time is not known, against the time that a quarter of the tests of its kind,
// within or between nodes, stay below.
std::vector<PairSlowdown> slowdowns(std::span<const PairTime> pairs, std::span<const int> nodes) {
  const auto kind_of = [&](const PairTime& pair) {
    const auto node = [&](int rank) { return nodes[static_cast<std::size_t>(rank)]; };
    return std::pair(pair.one_way, node(pair.source) != node(pair.dest));
  };
  std::map<std::pair<bool, bool>, std::vector<double>> times_us;
  for (const auto& pair : pairs) times_us[kind_of(pair)].push_back(pair.time_us);
  for (auto& [_, us] : times_us) std::ranges::sort(us);
  std::vector<PairSlowdown> tests;
  for (const auto& pair : pairs) {
    const auto& like_us = times_us[kind_of(pair)];
    const double healthy_us = pair.fault_free_us.value_or(like_us[like_us.size() / 4]);
    tests.push_back({.pair = {pair.source, pair.dest},
                     .one_way = pair.one_way,
                     .slowdown = healthy_us > 0 ? pair.time_us / healthy_us : 1});
  }
  return tests;
}

// p2p_perf's results are such times themselves.
std::vector<PairSlowdown> slowdowns_of_results(std::span<const Record> results) {
  std::vector<PairSlowdown> tests;
  for (const auto& record : results)
    if (record.pair && efficiency(record) > 0)
      tests.push_back({.pair = *record.pair,
                       .one_way = record.what.collective == "p2p_unidirectional",
                       .slowdown = 1 / efficiency(record)});
  return tests;
}

std::string_view cause_advice(std::string_view subject) {
  const bool of_paths = subject.find("other nodes") != std::string_view::npos;
  if (subject.starts_with("rank") && !of_paths)
    return "see what else runs on its core and on its host";
  if (subject.starts_with("the inside")) return "see what else runs on that node";
  return "look at the NICs, cables and ports on that path, and what else uses them";
}

}  // namespace

std::vector<Finding> rules::slow_component(const Evidence& evidence) {
  const auto nodes = nodes_of(evidence.run);
  const bool exact =
      evidence.pairs.empty() || std::ranges::all_of(evidence.pairs, [](const PairTime& pair) {
        return pair.fault_free_us.has_value();
      });
  const auto tests = evidence.pairs.empty() ? slowdowns_of_results(evidence.results)
                                            : slowdowns(evidence.pairs, nodes);
  auto causes = common_causes(tests, nodes, exact ? kSlowPair : kSlowMeasured);
  if (!exact)
    std::erase_if(causes, [](const CommonCause& cause) { return cause.pairs < kMinMeasuredPairs; });
  std::vector<Finding> findings;
  for (const auto& [subject, reached, pairs] : causes)
    findings.push_back({.subject = subject,
                        .evidence = fmt::format(
                            "{} pairs of ranks reach {:.2f} of what they should", pairs, reached),
                        .advice = std::string(cause_advice(subject))});
  return findings;
}

}  // namespace linerate
