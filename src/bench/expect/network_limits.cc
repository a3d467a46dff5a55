// See network_limits.h.
#include "bench/expect/network_limits.h"

#include "bench/expect/suspects.h"
#include "stats/summary.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace linerate {
namespace {

constexpr double kStraggles = 2;  // times slower than the median
constexpr int kLeastNodes = 3;    // of which one can be told from the others

}  // namespace

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
  if (points.size() < kLeastNodes) return points;
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
  if (nnodes < kLeastNodes) return {};
  std::vector<double> all;
  for (const auto& pair : pairs) {
    all.push_back(pair.speed.out_gbps);
    all.push_back(pair.speed.in_gbps);
  }
  const double median = stats::summarize(all).median;
  std::vector<PairSlowness> tests;
  for (const auto& [first, second, speed] : pairs) {
    tests.push_back({{first, second}, true, median / speed.out_gbps});
    tests.push_back({{second, first}, true, median / speed.in_gbps});
  }
  std::vector<int> nodes(static_cast<std::size_t>(nnodes));
  std::iota(nodes.begin(), nodes.end(), 0);
  return suspects_of(tests, nodes, kStraggles);
}

}  // namespace linerate
