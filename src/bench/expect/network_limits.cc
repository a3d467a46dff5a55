// See network_limits.h.
#include "bench/expect/network_limits.h"

#include "bench/expect/suspects.h"
#include "stats/summary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace linerate {
namespace {

constexpr double kStraggles = 2;  // times slower than the median
constexpr int kMinNodes = 3;      // of which one can be told from the others
constexpr std::size_t kMaxSlowNodes = 3;

// How many directions of its pairs a node slows that is slow in so many itself.
std::uint64_t directions_of(int node, std::span<const NodePair> pairs, int slow) {
  const auto of_node = std::ranges::count_if(
      pairs, [&](const NodePair& pair) { return pair.first == node || pair.second == node; });
  return static_cast<std::uint64_t>(of_node) * static_cast<std::uint64_t>(slow);
}

}  // namespace

std::uint64_t calls_at_once(const BenchConfig& config) {
  return config.blocking == Blocking::outer ? static_cast<std::uint64_t>(config.agg_iters)
                                            : config.window_calls();
}

std::vector<NetworkPoint> points_of(std::span<const NodePair> pairs, int nnodes) {
  std::vector<NetworkPoint> points(static_cast<std::size_t>(nnodes));
  for (int node = 0; node < nnodes; ++node)
    points[static_cast<std::size_t>(node)] = {
        .node = node, .round_trip_us = std::numeric_limits<double>::infinity()};
  for (const auto& [first, second, speed] : pairs) {
    auto& one = points[static_cast<std::size_t>(first)];
    auto& other = points[static_cast<std::size_t>(second)];
    one.send_gbps = std::max(one.send_gbps, speed.out_gbps);
    other.receive_gbps = std::max(other.receive_gbps, speed.out_gbps);
    other.send_gbps = std::max(other.send_gbps, speed.in_gbps);
    one.receive_gbps = std::max(one.receive_gbps, speed.in_gbps);
    for (auto* point : {&one, &other})
      point->round_trip_us = std::min(point->round_trip_us, speed.round_trip_us);
  }
  return points;
}

std::vector<NetworkPoint> as_they_should_be(std::vector<NetworkPoint> points) {
  if (points.size() < kMinNodes) return points;
  for (const auto gbps : {&NetworkPoint::send_gbps, &NetworkPoint::receive_gbps}) {
    std::vector<double> all;
    for (const auto& point : points) all.push_back(point.*gbps);
    const double median = stats::summarize(all).median;
    for (auto& point : points)
      if (point.*gbps * kStraggles < median) point.*gbps = median;
  }
  return points;
}

std::vector<Suspect> slow_nodes(std::span<const NodePair> pairs, int nnodes) {
  const auto points = points_of(pairs, nnodes);
  const auto healthy = as_they_should_be(points);
  std::vector<Suspect> suspects;
  for (int node = 0; node < nnodes; ++node) {
    const auto at = static_cast<std::size_t>(node);
    const double sends = points[at].send_gbps / healthy[at].send_gbps;
    const double receives = points[at].receive_gbps / healthy[at].receive_gbps;
    const bool slow_to = sends < 1, slow_from = receives < 1;
    if (slow_to || slow_from)
      suspects.push_back({.subject = way_of_node(node, slow_to, slow_from),
                          .reached = std::min(sends, receives),
                          .pairs = directions_of(node, pairs, slow_to + slow_from)});
  }
  std::ranges::stable_sort(suspects, {}, &Suspect::reached);
  if (suspects.size() > kMaxSlowNodes) suspects.resize(kMaxSlowNodes);
  return suspects;
}

}  // namespace linerate
