// See network_bound.h.
#include "bench/expect/network_bound.h"

#include "base/units.h"
#include "bench/expect/crossed.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace linerate {
namespace {

constexpr double kHealthy = 0.5;          // of what a library's own algorithm could reach
constexpr double kHealthyMessage = 0.15;  // of a message's way that is bound by latency
constexpr double kHealthyBarriers = 4;    // the slowest of many against the median of short ones
constexpr double kHealthyMemory = 0.15;   // libraries copy on the way, as MPI on one host
constexpr double kLeastShare = 0.5;       // of ranks that wait: a bound by fewer says nothing

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

// The part of the time of those that wait that may be the time of a single rank: 1 where each takes
// as long as its own node, and one call less where one can be that much ahead. 0: not known.
double share_of_one(const Crossed& crossed, const NetworkLimits& limits) {
  const auto calls = static_cast<double>(limits.calls);
  if (crossed.in_step) return (calls - 1) / calls;
  const bool alone = limits.nodes.size() == limits.points.size();
  return alone && crossed.waiting == static_cast<int>(limits.nodes.size()) ? 1 : 0;
}

// The part of the mean time over `calls` that is surely theirs who wait longest: in the last call
// others may be done before, of equal parts that come one after the other half a call on average.
double mean_share(const Collective& collective, const Crossed& crossed, std::uint64_t calls) {
  const double before = !crossed.apart ? 0 : collective.varies ? 1 : 0.5;
  return 1 - before / static_cast<double>(calls);
}

// The part of the ranks' mean time, or of the one that counts, that is the time of those that wait:
// who needs nothing of other nodes leaves what it sends to the system and goes on. 0: not known.
double waiting_share(const Collective& collective, const Crossed& crossed,
                     const NetworkLimits& limits) {
  if (limits.average == Average::max) return 1;
  if (collective.varies && !crossed.in_step) return 0;  // some may need far less than others
  if (limits.average != Average::mean) return share_of_one(crossed, limits);
  const double mean = mean_share(collective, crossed, limits.calls);
  if (crossed.in_step) return mean;
  const double share =
      static_cast<double>(crossed.waiting) / static_cast<double>(limits.nodes.size());
  return collective.rooted || share >= kLeastShare ? share * mean : 0;
}

}  // namespace

std::optional<Expectation> network_bound(const SizedCase& what, const NetworkLimits& limits,
                                         double memory_us) {
  const auto& collective = *what.what.collective;
  const int nranks = what.sizing.nranks;
  const double factor = collective.bus_factor(nranks);
  const double element = static_cast<double>(bytes_of(what.what.type));
  const double bytes = static_cast<double>(collective.algbw_count(what.sizing)) * element;
  if (factor <= 0 || bytes <= 0) return std::nullopt;
  const auto crossed = crossed_by(collective, what.sizing, what.what.root, limits.nodes);
  const double share = waiting_share(collective, crossed, limits);
  if (crossed.waiting == 0 || share <= 0) return std::nullopt;
  auto network = network_time(collective, crossed, limits);
  network.us *= element;
  const double message_us = latency_us(limits);
  const double bytes_us = std::max(network.us, memory_us);
  if (memory_us > network.us) network.bound_by = "memory";
  if (message_us > bytes_us) network.bound_by = "latency";
  const double time_us = message_us + bytes_us;
  const double messages = 2.0 * (nranks - 1);  // of a ring, one after the other
  const double healthy_us =
      messages * std::max(message_us / kHealthyMessage, limits.barrier_us * kHealthyBarriers) +
      excess(collective, crossed, limits) * network.us / kHealthy + memory_us / kHealthyMemory;
  return Expectation{.busbw_gbps = bytes / (share * time_us) / kBytesPerUsOfGbps * factor,
                     .bound_by = network.bound_by,
                     .low_below = share * std::min(kHealthy, time_us / healthy_us)};
}

}  // namespace linerate
