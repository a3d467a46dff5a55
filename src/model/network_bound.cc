// Alpha-beta times of the busiest node, of all nodes together, and of a healthy flat algorithm.
#include "model/network_bound.h"

#include "base/units.h"
#include "model/traffic.h"
#include "record/verdict.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace linerate {
namespace {

constexpr double kHealthy = 0.5;          // of what a library's own algorithm could reach
constexpr double kHealthyMessage = 0.15;  // of a message that is bound by latency
constexpr double kHealthyBarriers = 4;    // the slowest of many against the median of short ones
constexpr double kHealthyMemory = 0.15;   // libraries copy on the way, as MPI on one host

struct NetworkTime {
  double us = 0;
  std::string bound_by = "network";
};

double node_us(const InterNodeTraffic& traffic, std::size_t node, const NetworkPoint& point) {
  return std::max(transfer_us(static_cast<double>(traffic.sent[node]), point.send_gbps),
                  transfer_us(static_cast<double>(traffic.received[node]), point.receive_gbps));
}

double all_nodes_us(const InterNodeTraffic& traffic, const std::vector<NetworkPoint>& points) {
  double send_gbps = 0, receive_gbps = 0;
  for (const auto& point : points) {
    send_gbps += point.send_gbps;
    receive_gbps += point.receive_gbps;
  }
  return transfer_us(static_cast<double>(traffic.total), std::min(send_gbps, receive_gbps));
}

// All nodes together carry the total, and each its own, counted in bytes of an element of one. A
// node is named where it alone binds; of two nobody can tell which.
NetworkTime min_us(const InterNodeTraffic& traffic, const NetworkLimits& limits) {
  constexpr double kBindsAlone = 1.2;  // probes of equal nodes differ by less
  double worst_us = 0, next_us = all_nodes_us(traffic, limits.points);
  std::size_t worst = 0;
  for (std::size_t node = 0; node < traffic.sent.size(); ++node) {
    const double us = node_us(traffic, node, limits.points[node]);
    next_us = std::max(next_us, std::min(us, worst_us));
    if (us > worst_us) worst = node;
    worst_us = std::max(worst_us, us);
  }
  NetworkTime time{.us = std::max(worst_us, next_us)};
  if (traffic.sent.size() > 2 && worst_us > kBindsAlone * next_us)
    time.bound_by = fmt::format("network (node {}, {})", worst, limits.hostnames[worst]);
  return time;
}

// Half of the shortest round trip.
double latency_us(const NetworkLimits& limits) {
  double least_us = std::numeric_limits<double>::infinity();
  for (const auto& point : limits.points) least_us = std::min(least_us, point.round_trip_us);
  return least_us / 2;
}

// How often a ring over the ranks leaves each node: once where neighbours share nodes, as often as
// a node has ranks where they are dealt out in turn.
double ring_crossings(const NetworkLimits& limits) {
  const auto& nodes = limits.nodes;
  double crossings = nodes.front() == nodes.back() ? 0 : 1;
  for (std::size_t rank = 1; rank < nodes.size(); ++rank)
    if (nodes[rank] != nodes[rank - 1]) ++crossings;
  return crossings / static_cast<double>(limits.points.size());
}

// How many times the bytes that must cross a flat algorithm sends: a tree over ranks sends all of
// them at each of its levels, and a ring all that leaves a node twice at most. What one rank alone
// needs goes straight to it, whoever its neighbours are.
double excess(const Collective& collective, const InterNodeTraffic& traffic,
              const NetworkLimits& limits) {
  const auto levels = static_cast<double>(std::bit_width(limits.nodes.size() - 1));
  const double times = collective.rooted ? levels : std::min(2.0, levels);
  return traffic.relayed ? times * ring_crossings(limits) : times;
}

// A call ends no sooner than a message crosses where every rank waits for one; elsewhere the
// messages of several calls are on the way at once.
double message_us(const InterNodeTraffic& traffic, const NetworkLimits& limits) {
  return traffic.every_rank_waits ? latency_us(limits) : 0;
}

// As long as a healthy run may take: the messages of a ring one after the other, all bytes of a
// flat algorithm, and copies on the way.
double healthy_us(const Collective& collective, const InterNodeTraffic& traffic,
                  const NetworkLimits& limits, double network_us) {
  const auto messages = 2 * static_cast<double>(limits.nodes.size() - 1);
  const double one_us =
      std::max(latency_us(limits) / kHealthyMessage, limits.barrier_us * kHealthyBarriers);
  return messages * one_us + excess(collective, traffic, limits) * network_us / kHealthy;
}

}  // namespace

bool is_tcp(std::string_view transport) {
  return transport == "TCP" || transport.starts_with("TCP on ");
}

std::vector<NetworkPoint> healthy_points(std::vector<NetworkPoint> points) {
  constexpr double kStraggles = 2;  // times slower than the median
  constexpr std::size_t kMinNodes = 3;
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

std::optional<Expectation> network_bound(const ModeledCall& call, const NetworkLimits& limits,
                                         std::optional<double> memory_us) {
  const double bytes = call.algbw_bytes();
  if (call.bus_factor() <= 0 || bytes <= 0) return std::nullopt;
  const auto traffic = inter_node_traffic(call, limits.nodes);
  if (traffic.total == 0) return std::nullopt;
  auto time = min_us(traffic, limits);
  const double network_us = time.us * call.element_bytes();
  const double copies_us = memory_us.value_or(0);
  const double bytes_us = std::max(network_us, copies_us);
  const double way_us = message_us(traffic, limits);
  time.us = std::max(way_us, bytes_us);
  if (copies_us > network_us) time.bound_by = "memory";
  if (way_us > bytes_us) time.bound_by = "latency";
  const double healthy =
      healthy_us(*call.collective, traffic, limits, network_us) + copies_us / kHealthyMemory;
  return band_below(gbps_of(bytes, time.us) * call.bus_factor(),
                    memory_us ? std::min(kHealthy, time.us / healthy) : 0, time.bound_by);
}

}  // namespace linerate
