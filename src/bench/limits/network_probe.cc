// Reads the words of Communicator::transport(); core masks travel as ranges, which are short for
// most of them; one rank of each node probes.
#include "bench/limits/network_probe.h"

#include "base/error.h"
#include "base/text.h"
#include "base/wire.h"
#include "bench/probe/cores.h"
#include "launch/net/address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

constexpr std::string_view kTcpOn = "TCP on ";

// "eth0" of an address's label "eth0:1", which is no interface of its own.
std::string without_label(std::string_view interface) {
  return std::string(interface.substr(0, interface.find(':')));
}

// What a transport names: an interface, or all that have an address in a network.
class Named {
 public:
  explicit Named(std::string_view text)
      : network_(network_of(text)), text_(network_ ? std::string(text) : without_label(text)) {}

  bool holds(const InterfaceAddress& address) const {
    return network_ ? in_network(address.bytes, *network_)
                    : without_label(address.interface) == text_;
  }
  // After "This host has no interface".
  std::string text() const { return network_ ? "in " + text_ : text_; }

 private:
  std::optional<InterfaceAddress> network_;
  std::string text_;
};

// Empty: none is named.
std::vector<Named> named_in(std::string_view transport) {
  std::vector<Named> all;
  if (!transport.starts_with(kTcpOn)) return all;
  for (const auto& part : split(transport.substr(kTcpOn.size()), ',')) all.emplace_back(trim(part));
  return all;
}

std::string names_text(const std::vector<Named>& all) {
  std::vector<std::string> words;
  for (const auto& named : all) words.push_back(named.text());
  return fmt::format("{}", fmt::join(words, " or "));
}

// Empty where the system does not tell.
CoreRanges own_ranges() {
  try {
    return ranges_of(probe::allowed_cores());
  } catch (const Error&) {
    return {};
  }
}

void add_to(std::set<int>& cores, const CoreRanges& ranges) {
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
    for (int core = ranges[i]; core < ranges[i + 1]; ++core) cores.insert(core);
}

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
Result<LinkListener> listener_for(const std::string& transport) {
  const auto hosts = tcp_hosts(transport, interface_addresses());
  if (!hosts) return hosts.failure();
  return open_link_listener(*hosts);
}

// A leader's part. What goes wrong with it is told to all: nobody is left alone in what comes
// next, and the run goes on without a probe.
ProbedNetwork probe_as_leader(Session& session, Bootstrap& leaders, std::vector<int> cores) {
  const SteadyClock clock;
  LinkListener listener;
  std::string failure;
  try {
    auto opened = listener_for(session.ranks().front().world->inspector().transport());
    if (opened)
      listener = std::move(opened).value();
    else
      failure = opened.sentence();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  failure = first_failure(leaders, failure, Deadline::after(clock, kRoundTimeoutS));
  if (!failure.empty()) return {.failure = failure};
  const auto rounds = probed_rounds(leaders.nranks());
  LinkProber prober(leaders, clock, std::move(listener),
                    rules_for(rounds.size(), std::move(cores)));
  failure = prober.run(rounds, [](std::string_view) {});
  if (!failure.empty()) return {.failure = failure};
  return {.links = prober.gather()};
}

}  // namespace

Result<std::vector<std::string>> tcp_hosts(std::string_view transport,
                                           const std::vector<InterfaceAddress>& own) {
  const auto all_named = named_in(transport);
  std::set<std::string> used;
  std::vector<std::string> hosts;
  for (const auto& address : own) {
    const auto holds = [&](const Named& named) { return named.holds(address); };
    if (!all_named.empty() && std::ranges::none_of(all_named, holds)) continue;
    used.insert(without_label(address.interface));
    hosts.push_back(address.host);
  }
  if (used.empty() && all_named.empty())
    return Failure{"No interface of this host leads to other hosts."};
  if (used.empty())
    return Failure{fmt::format("This host has no interface {}.", names_text(all_named))};
  if (used.size() > 1)
    return Failure{
        fmt::format("TCP may use any of the interfaces {}: name one.", fmt::join(used, ", "))};
  return hosts;
}

CoreRanges ranges_of(std::span<const int> cores) {
  CoreRanges ranges;
  for (const int core : cores) {
    if (ranges.empty() || ranges.back() != core) ranges.insert(ranges.end(), {core, core});
    ++ranges.back();
  }
  return ranges;
}

std::vector<int> cores_beside(const CoreRanges& own, std::span<const CoreRanges> all) {
  std::set<int> any, mine;
  for (const auto& ranges : all) add_to(any, ranges);
  add_to(mine, own);
  std::erase_if(any, [&](int core) { return mine.contains(core); });
  return {any.begin(), any.end()};
}

std::vector<int> cores_of_others(Session& session) {
  const int node = session.bootstrap().place().node;
  const auto own = own_ranges();
  WireWriter out;
  out.put(node).put_all(std::span<const int>(own));
  std::vector<CoreRanges> here;
  for (const auto& bytes : session.bootstrap().all_gather(out.bytes(), session.init_deadline())) {
    WireReader in(bytes);
    if (in.get<int>() == node) here.push_back(in.get_all<int>());
  }
  return cores_beside(own, here);
}

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
  session.rank().enter_probe("probe of the network", kFloorS);
  ProbedNetwork network;
  auto cores = cores_of_others(session);
  if (auto* leaders = session.rank().node_leaders())
    network = probe_as_leader(session, *leaders, std::move(cores));
  const bool failed = session.any_thread(!network.failure.empty());
  if (failed && network.failure.empty()) network.failure = "Another rank could not probe it.";
  return network;
}

}  // namespace linerate
