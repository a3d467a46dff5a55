// First the network, where there are several hosts: if that fails the memory need not be probed.
#include "bench/limits/host_probe.h"

#include "base/log.h"
#include "base/wire.h"
#include "bench/limits/memory_probe.h"
#include "bench/limits/network_probe.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace linerate {
namespace {

constexpr double kBudgetUs = 200e3;
constexpr double kNetworksShare = 0.5;  // of it, where there is a network

bool on_several_hosts(Session& session) { return session.bootstrap().place().nnodes > 1; }

// No emulated network between the ranks.
bool on_host_memory(const Session& session) {
  return session.config().emulate_file.empty() &&
         session.ranks().front().device->kind() == DeviceKind::cpu;
}

// The same on all threads.
bool follows_from_probes(Session& session) {
  if (!on_host_memory(session) || session.rank().ngroups() > 1 || session.nranks() < 2 ||
      session.nranks() > HostModel::kMaxRanks)
    return false;
  if (!on_several_hosts(session)) return ranks_by_node(session.infos()).size() == 1;
  return !session.any_thread(!is_tcp(session.ranks().front().world->inspector().transport()));
}

NetworkLimits network_limits(const Session& session, const std::vector<NetworkPoint>& points,
                             double barrier_us) {
  NetworkLimits limits{.points = healthy_points(points), .barrier_us = barrier_us};
  limits.hostnames.resize(points.size());
  for (const auto& rank : session.infos()) {
    limits.nodes.push_back(rank.node);
    limits.hostnames[static_cast<std::size_t>(rank.node)] = rank.hostname;
  }
  return limits;
}

// Of several windows all but the first come after another one.
std::uint64_t warm_calls(const BenchConfig& config) {
  return config.stop.asked() ? std::max(config.window_calls(), config.warmup_iters)
                             : config.warmup_iters;
}

// The first thread's sizes hold for all: what is free changes from one question to the next.
std::vector<std::size_t> agreed_sizes(Session& session, const std::vector<std::size_t>& mine) {
  return value_of_rank_0(session.bootstrap(), mine, session.init_deadline());
}

// `what` goes on after "so that".
void say_not_probed(const Session& session, std::string_view when, std::string_view what,
                    std::string_view failure) {
  if (!session.is_first()) return;
  say(fmt::format("note: the network between the hosts could not be probed{}, so that {}: {}", when,
                  what, failure));
}

}  // namespace

bool are_equally_full(std::span<const RankInfo> ranks) {
  const auto by_node = ranks_by_node(ranks);
  return std::ranges::all_of(
      by_node, [&](const auto& node) { return node.second == by_node.begin()->second; });
}

std::unique_ptr<HostProbe> HostProbe::measure(Session& session, const Run& run) {
  if (!follows_from_probes(session)) return nullptr;
  const auto& config = session.config();
  std::unique_ptr<HostProbe> probe(new HostProbe);
  probe->limits_.reuse = {.buffers = {.bytes = run.buffers.bytes,
                                      .spare_bytes = run.buffers.spare_bytes,
                                      .slides = config.sliding == Sliding::slide},
                          .calls = config.window_calls(),
                          .warm_calls = warm_calls(config)};
  if (on_several_hosts(session) && !probe->measure_network(session, run)) return nullptr;
  probe->measure_memory(session, run);
  return probe;
}

bool HostProbe::measure_network(Session& session, const Run& run) {
  const auto found = probe_network(session);
  if (!found.failure.empty()) {
    say_not_probed(session, "", "nobody knows how fast results should be", found.failure);
    return false;
  }
  network_.emplace();
  if (!session.is_first()) return true;
  network_ = points_of(found.links, session.bootstrap().place().nnodes);
  limits_.network = network_limits(session, *network_, run.barrier_us);
  limits_.reuse.nodes = limits_.network->nodes;
  return true;
}

double HostProbe::memory_budget_us() const {
  return network_ ? (1 - kNetworksShare) * kBudgetUs : kBudgetUs;
}

void HostProbe::measure_memory(Session& session, const Run& run) {
  limits_.memory = {.latency_us = run.barrier_us / 2,  // there, and the answer back
                    .least_latency_us = run.barrier_least_us / 2,
                    .direct = session.rank().capabilities().direct,
                    .shared_cores = run.shared_cores};
  if (session.is_first())
    limits_.memory.l3_bytes = run.cache_bytes > 0 ? run.cache_bytes : describe_machine().l3_bytes;
  const auto sizes = agreed_sizes(session, wanted_sizes(session, run));
  auto probed = probe_memory(session, sizes, {{memory_budget_us()}, run.shared_cores});
  limits_.memory.curve = std::move(probed.curve);
  limits_.unprobed = std::move(probed.unprobed);
  if (session.is_first() && !network_ && !limits_.unprobed.empty())
    say_unprobed(limits_.unprobed, memory_budget_us());
}

std::vector<std::size_t> HostProbe::wanted_sizes(const Session& session, const Run& run) const {
  if (!session.is_first() || !are_equally_full(session.infos())) return {};
  const int here = ranks_on_first_node(session.infos());
  std::vector<double> distances;
  for (const auto& what : run.cases)
    for (const auto placement : {Placement::out_of_place, Placement::in_place}) {
      const ModeledCall call{.collective = what.collective,
                             .type = what.type,
                             .root = what.root,
                             .placement = placement,
                             .sizing = sizing_of(what, session.nranks(), run.traffic)};
      const auto some = footprint_of(call, limits_.reuse).distances();
      distances.insert(distances.end(), some.begin(), some.end());
    }
  return probe_sizes(distances,
                     {.buffer_bytes = 2 * static_cast<std::size_t>(here) * run.buffers.bytes,
                      .cache_bytes = run.cache_bytes});
}

HostProbe::Points HostProbe::points() const {
  return {.memory = limits_.memory.curve.points(),
          .network = network_.value_or(std::vector<NetworkPoint>())};
}

HostProbe::Points HostProbe::measure_again(Session& session) const {
  Points again;
  if (network_) {
    const auto found = probe_network(session);
    if (!found.failure.empty())
      say_not_probed(session, " again", "nobody knows whether it stayed as fast", found.failure);
    else if (session.is_first())
      again.network = points_of(found.links, session.bootstrap().place().nnodes);
  }
  std::vector<std::size_t> sizes;
  for (const auto& point : limits_.memory.curve.points()) sizes.push_back(point.bytes);
  again.memory =
      probe_memory(session, sizes, {{memory_budget_us(), false}, limits_.memory.shared_cores})
          .curve.points();
  return again;
}

}  // namespace linerate
