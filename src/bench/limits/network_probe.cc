// A short probe: one rank of each node over the interface that its transport names.
#include "bench/limits/network_probe.h"

#include "bench/limits/node_cores.h"
#include "bench/limits/tcp_hosts.h"
#include "launch/net/address.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

constexpr double kStreamsS = 0.06;     // of all rounds and both directions together
constexpr double kPairTimeoutS = 3;    // to connect and to measure
constexpr double kFloorS = 5;          // of the time after which -T may call it hung
constexpr double kRoundTimeoutS = 30;  // until all have come
constexpr int kRoundTrips = 20;
constexpr std::size_t kBlockBytes = std::size_t{32} << 10;  // slow links are given little to carry

// 0-1, 2-3, ...: with an odd number the last one is left out.
Round neighbours_from_0(int nnodes) {
  Round round;
  for (int node = 0; node + 1 < nnodes; node += 2) round.emplace_back(node, node + 1);
  return round;
}

// 1-2, 3-4, ..., and the ring's end with its begin; with an odd number the first one is left out.
Round neighbours_from_1(int nnodes) {
  Round round;
  if (nnodes % 2 == 0) round.emplace_back(0, nnodes - 1);
  for (int node = 1; node + 1 < nnodes; node += 2) round.emplace_back(node, node + 1);
  return round;
}

// With an odd number the middle one is left out.
Round halfway_round(int nnodes) {
  Round round;
  const int distance = (nnodes + 1) / 2;
  for (int node = 0; node + distance < nnodes; ++node) round.emplace_back(node, node + distance);
  return round;
}

LinkRules rules_for(std::size_t nrounds, std::vector<int> cores) {
  return {.tcp = {.round_trips = kRoundTrips,
                  .stream_s = kStreamsS / static_cast<double>(2 * nrounds),
                  .block_bytes = kBlockBytes,
                  .cores = std::move(cores)},
          .pair_timeout_s = kPairTimeoutS,
          .round_timeout_s = kRoundTimeoutS,
          .ends_at_failure = true};
}

// A sentence where this host has none; throws where it cannot be opened.
Result<OpenSeat> seat_for(const std::string& transport) {
  const auto hosts = tcp_hosts(transport, interface_addresses());
  if (!hosts) return hosts.failure();
  return open_seat(*hosts);
}

// A leader's part. What goes wrong with it is told to all: nobody is left alone in what comes
// next, and the run goes on without a probe.
ProbedNetwork probe_as_leader(Session& session, Bootstrap& leaders, std::vector<int> cores) {
  const SteadyClock clock;
  OpenSeat seat;
  std::string failure;
  try {
    auto opened = seat_for(session.ranks().front().world->inspector().transport());
    if (opened)
      seat = std::move(opened).value();
    else
      failure = opened.sentence();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  failure = first_failure(leaders, failure, Deadline::after(clock, kRoundTimeoutS));
  if (!failure.empty()) return {.failure = failure};
  const auto rounds = probed_rounds(leaders.nranks());
  LinkProber prober(leaders, clock, std::move(seat), rules_for(rounds.size(), std::move(cores)));
  failure = prober.run(rounds, [](std::string_view) {});
  if (!failure.empty()) return {.failure = failure};
  return {.links = prober.gather()};
}

}  // namespace

std::vector<Round> probed_rounds(int nnodes) {
  if (nnodes < 2) return {};
  if (nnodes == 2) return std::vector(2, neighbours_from_0(nnodes));
  return {neighbours_from_0(nnodes), neighbours_from_1(nnodes), halfway_round(nnodes)};
}

std::vector<NetworkPoint> points_of(std::span<const NodeLink> links, int nnodes) {
  std::vector<NetworkPoint> points(static_cast<std::size_t>(nnodes));
  for (int node = 0; node < nnodes; ++node)
    points[static_cast<std::size_t>(node)] = {
        .node = node, .round_trip_us = std::numeric_limits<double>::infinity()};
  for (const auto& [first, second, address, speed, failure] : links) {
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

ProbedNetwork probe_network(Session& session) {
  session.enter_probe("probe of the network", kFloorS);
  ProbedNetwork network;
  auto cores = cores_of_others(session);
  if (auto* leaders = session.node_leaders())
    network = probe_as_leader(session, *leaders, std::move(cores));
  const bool failed = session.any_thread(!network.failure.empty());
  if (failed && network.failure.empty()) network.failure = "Another rank could not probe it.";
  return network;
}

}  // namespace linerate
