// Results that are slower than a healthy run.
#include "diagnose/diagnose.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {
namespace {

// By what binds the lowest result.
std::string_view bound_advice(std::string_view bound_by) {
  if (bound_by == "memory" || bound_by == "latency")
    return "see what else runs on these cores, and whether each rank has a core of its own";
  if (bound_by.starts_with("network"))
    return "see what else uses the network, and the algorithm that the library chose";
  if (bound_by.starts_with("NCCL"))
    return "see `linerate topo --lint`, and --show-algo for the algorithm that NCCL chose";
  return "see docs/low-result.md";
}

}  // namespace

std::vector<Finding> rules::below_bound(const Evidence& evidence) {
  const Record* lowest = lowest_of_low(evidence);
  if (lowest == nullptr) return {};
  const auto low = std::ranges::count(evidence.results, Verdict::low,
                                      [](const Record& record) { return verdict_of(record); });
  return {{.subject = fmt::format("{} of {} results", low, evidence.results.size()),
           .evidence = reached_text(*lowest),
           .advice = std::string(bound_advice(lowest->expected->bound_by))}};
}

}  // namespace linerate
