// Memory and network are probed before and after a run: what lies between two different answers was
// measured on neither machine.
#include "diagnose/diagnose.h"
#include "model/memory_bound.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {
namespace {

constexpr double kUnstable = 1.2;
constexpr double kOneNode = 2;  // of many short probes some always differ by less

double factor_between(double one, double other) { return std::max(one / other, other / one); }

// The largest factor by which a bandwidth of the same size differs.
double memory_change(std::span<const MemoryPoint> before, std::span<const MemoryPoint> after) {
  double most = 1;
  for (const auto& was : before)
    for (const auto& is : after)
      if (was.bytes == is.bytes)
        for (const auto gbps : kMemoryBandwidths)
          most = std::max(most, factor_between(was.*gbps, is.*gbps));
  return most;
}

// Of all nodes together, or of one node where it has changed by more than kOneNode.
double network_change(std::span<const NetworkPoint> before, std::span<const NetworkPoint> after) {
  double most = 1;
  for (const auto gbps : {&NetworkPoint::send_gbps, &NetworkPoint::receive_gbps}) {
    double sum_before = 0, sum_after = 0;
    for (const auto& was : before)
      for (const auto& is : after) {
        if (was.node != is.node) continue;
        sum_before += was.*gbps;
        sum_after += is.*gbps;
        const double factor = factor_between(was.*gbps, is.*gbps);
        if (factor > kOneNode) most = std::max(most, factor);
      }
    if (sum_before > 0 && sum_after > 0)
      most = std::max(most, factor_between(sum_before, sum_after));
  }
  return most;
}

Finding changed(std::string_view subject, double factor) {
  return {.subject = std::string(subject),
          .evidence = fmt::format("changed by a factor of {:.1f} during the run", factor),
          .advice = "see what else runs here, and measure again"};
}

}  // namespace

// Over several hosts memory hardly ever binds.
std::vector<Finding> rules::unstable_machine(const Evidence& evidence) {
  if (evidence.results.empty()) return {};
  const auto& before = evidence.run;
  const double network = network_change(before.network, evidence.network_after);
  if (network > kUnstable) return {changed("the network", network)};
  const bool memory_counts =
      before.network.empty() || std::ranges::any_of(evidence.results, [](const Record& record) {
        return record.expected->bound_by == "memory";
      });
  const double memory = memory_change(before.memory, evidence.memory_after);
  if (memory_counts && memory > kUnstable) return {changed("memory", memory)};
  return {};
}

}  // namespace linerate
