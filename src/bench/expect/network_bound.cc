// See network_bound.h.
#include "bench/expect/network_bound.h"

#include "base/units.h"
#include "bench/expect/crossed.h"
#include "bench/expect/sure_share.h"

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
constexpr double kHealthyMessage = 0.15;  // of a message's way that is bound by latency
constexpr double kHealthyBarriers = 4;    // the slowest of many against the median of short ones
constexpr double kHealthyMemory = 0.15;   // libraries copy on the way, as MPI on one host

struct NetworkTime {
  double us = 0;
  std::string bound_by = "network";
};

double us_of(double bytes, double gbps) { return bytes / gbps / kBytesPerUsOfGbps; }

double node_us(const Crossed& crossed, std::size_t node, const NetworkPoint& point) {
  return std::max(us_of(static_cast<double>(crossed.sent[node]), point.send_gbps),
                  us_of(static_cast<double>(crossed.received[node]), point.receive_gbps));
}

double together_us(const Crossed& crossed, const std::vector<NetworkPoint>& points) {
  double send_gbps = 0, receive_gbps = 0;
  for (const auto& point : points) {
    send_gbps += point.send_gbps;
    receive_gbps += point.receive_gbps;
  }
  return us_of(static_cast<double>(crossed.total), std::min(send_gbps, receive_gbps));
}

// All nodes together carry the total, and each its own, counted in bytes of an element of one. A
// node is named where it alone binds; of two nobody can tell which.
NetworkTime least_us(const Crossed& crossed, const NetworkLimits& limits) {
  constexpr double kBindsAlone = 1.2;  // probes of equal nodes differ by less
  double worst_us = 0, next_us = together_us(crossed, limits.points);
  std::size_t worst = 0;
  for (std::size_t node = 0; node < crossed.sent.size(); ++node) {
    const double us = node_us(crossed, node, limits.points[node]);
    next_us = std::max(next_us, std::min(us, worst_us));
    if (us > worst_us) worst = node;
    worst_us = std::max(worst_us, us);
  }
  NetworkTime time{.us = std::max(worst_us, next_us)};
  if (crossed.sent.size() > 2 && worst_us > kBindsAlone * next_us)
    time.bound_by = fmt::format("network (node {}, {})", worst, limits.hostnames[worst]);
  return time;
}

// Ranks without a root that do not need all others can be ahead of a slow one, by as many calls as
// there are ranks between them.
bool each_for_itself(const Collective& collective, const Crossed& crossed, Average average) {
  return average != Average::max && !collective.rooted && !crossed.in_step;
}

// No rank that waits for another node is done before this.
NetworkTime fastest_us(const Crossed& crossed, const NetworkLimits& limits) {
  NetworkTime time{.us = std::numeric_limits<double>::infinity()};
  for (std::size_t node = 0; node < crossed.sent.size(); ++node)
    time.us = std::min(time.us, node_us(crossed, node, limits.points[node]));
  return time;
}

// Where an element has one byte.
NetworkTime network_time(const Collective& collective, const Crossed& crossed,
                         const NetworkLimits& limits) {
  return each_for_itself(collective, crossed, limits.average) ? fastest_us(crossed, limits)
                                                              : least_us(crossed, limits);
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
double excess(const Collective& collective, const Crossed& crossed, const NetworkLimits& limits) {
  const auto levels = static_cast<double>(std::bit_width(limits.nodes.size() - 1));
  const double times = collective.rooted ? levels : std::min(2.0, levels);
  return crossed.shared ? times * ring_crossings(limits) : times;
}

// A chain of ranks that all wait for another node takes a message's way in each call; where some do
// not wait, those of several calls are on the way at once.
double sure_message_us(const Crossed& crossed, const NetworkLimits& limits) {
  return latency_us(limits) / (crossed.all_wait() ? 1 : static_cast<double>(limits.calls));
}

// As long as a healthy run may take: the messages of a ring one after the other, all bytes of a
// flat algorithm, and copies on the way.
double healthy_us(const NetworkCall& call, double network_us, double memory_us) {
  const auto& limits = call.limits;
  const auto messages = 2 * static_cast<double>(limits.nodes.size() - 1);
  const double message_us =
      std::max(latency_us(limits) / kHealthyMessage, limits.barrier_us * kHealthyBarriers);
  return messages * message_us +
         excess(call.collective, call.crossed, limits) * network_us / kHealthy +
         memory_us / kHealthyMemory;
}

}  // namespace

std::optional<Expectation> network_bound(const SizedCase& what, const NetworkLimits& limits,
                                         std::optional<double> memory_us) {
  const auto& collective = *what.what.collective;
  const double factor = collective.bus_factor(what.sizing.nranks);
  const double element = static_cast<double>(bytes_of(what.what.type));
  const double bytes = static_cast<double>(collective.algbw_count(what.sizing)) * element;
  if (factor <= 0 || bytes <= 0) return std::nullopt;
  const auto crossed = crossed_by(collective, what.sizing, what.what.root, limits.nodes);
  if (crossed.waiting() == 0) return std::nullopt;
  auto network = network_time(collective, crossed, limits);
  network.us *= element;
  const double copies_us = memory_us.value_or(0);
  const CallTime time{.message_us = sure_message_us(crossed, limits),
                      .bytes_us = std::max(network.us, copies_us)};
  const NetworkCall call{collective, crossed, limits, time, element};
  const double share = sure_share(call);
  if (share <= 0) return std::nullopt;
  if (copies_us > network.us) network.bound_by = "memory";
  if (time.message_us > time.bytes_us) network.bound_by = "latency";
  const double healthy = std::min(kHealthy, time.us() / healthy_us(call, network.us, copies_us));
  return Expectation{.busbw_gbps = bytes / (share * time.us()) / kBytesPerUsOfGbps * factor,
                     .bound_by = network.bound_by,
                     .low_below = memory_us ? share * healthy : 0};
}

}  // namespace linerate
