// A node that reaches less than half of what the median node does in the probe before the run.
#include "diagnose/common_cause.h"
#include "diagnose/diagnose.h"
#include "model/network_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace linerate {
namespace {

constexpr std::size_t kMaxSlowNodes = 3;

struct SlowNode {
  std::string subject{};
  double reached = 1;
};

// Worst first.
std::vector<SlowNode> slow_nodes(const std::vector<NetworkPoint>& points) {
  const auto healthy = healthy_points(points);
  std::vector<SlowNode> slow;
  for (std::size_t node = 0; node < points.size(); ++node) {
    const double sends = points[node].send_gbps / healthy[node].send_gbps;
    const double receives = points[node].receive_gbps / healthy[node].receive_gbps;
    if (sends < 1 || receives < 1)
      slow.push_back({.subject = node_direction(points[node].node, sends < 1, receives < 1),
                      .reached = std::min(sends, receives)});
  }
  std::ranges::stable_sort(slow, {}, &SlowNode::reached);
  if (slow.size() > kMaxSlowNodes) slow.resize(kMaxSlowNodes);
  return slow;
}

}  // namespace

std::vector<Finding> rules::slow_node(const Evidence& evidence) {
  if (lowest_of_low(evidence) == nullptr) return {};
  std::vector<Finding> findings;
  for (const auto& [subject, reached] : slow_nodes(evidence.run.network))
    findings.push_back(
        {.subject = subject,
         .evidence = fmt::format("reaches {:.2f} of the median of {} nodes", reached,
                                 evidence.run.network.size()),
         .advice = "look at its NIC, its cable and its port, and what else uses them"});
  return findings;
}

}  // namespace linerate
