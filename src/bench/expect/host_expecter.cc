// See host_expecter.h.
#include "bench/expect/host_expecter.h"

#include "base/log.h"
#include "bench/expect/group_bound.h"
#include "bench/expect/network_bound.h"
#include "bench/expect/network_probe.h"
#include "bench/expect/node_probe.h"
#include "bench/expect/suspects.h"
#include "bench/expect/tcp_hosts.h"
#include "bench/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace linerate {
namespace {

// Before and after a run. On a busy machine, where cores are waited for, it may take longer.
constexpr double kBudgetUs = 200e3;
constexpr double kNetworksShare = 0.5;  // of it, where there is a network

bool on_several_hosts(Session& session) { return session.members().place().nnodes > 1; }

// The same on all threads.
bool follows_from_probes(Session& session) {
  if (!on_host_memory(session) || largest_group(session.config(), session.nranks()) < 2 ||
      session.nranks() > HostExpecter::kMaxRanks)
    return false;
  if (!on_several_hosts(session)) return on_one_node(nodes_of(session.infos()));
  const auto& transport = session.ranks().front().world->inspector().transport();
  return session.ngroups() == 1 && !session.any_thread(!is_tcp(transport));
}

NetworkLimits limits_of(const Session& session, const std::vector<NetworkPoint>& probed) {
  NetworkLimits limits{.points = as_they_should_be(probed), .nodes = nodes_of(session.infos())};
  limits.hostnames.resize(probed.size());
  for (const auto& rank : session.infos())
    limits.hostnames[static_cast<std::size_t>(rank.node)] = rank.hostname;
  return limits;
}

// Of all groups, which is one where the ranks are not split.
GroupedCase grouped(const Session& session, const Case& what, Placement placement,
                    const TrafficMatrix* traffic) {
  GroupedCase grouped{.what = what, .placement = placement};
  for (const auto& [color, nranks] : group_sizes(session.config(), session.nranks()))
    grouped.groups.push_back({.sizing = sizing_of(what, nranks, traffic)});
  return grouped;
}

// Of several windows all but the first come after another one.
std::uint64_t warm_calls(const BenchConfig& config) {
  return config.stop.asked() ? std::max(config.window_calls(), config.warmup_iters)
                             : config.warmup_iters;
}

// Of all groups.
std::vector<double> footprints_of(const std::vector<Touched>& touched) {
  std::vector<double> all;
  for (const auto& one : touched) {
    const auto some = one.footprints();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

struct NotProbed {
  std::string_view when{}, unknown{}, failure{};
};
void say_not_probed(const Session& session, const NotProbed& what) {
  if (!session.is_first()) return;
  say(
      fmt::format("note: the network between the hosts could not be probed{}, so that nobody knows "
                  "{}: {}",
                  what.when, what.unknown, what.failure));
}

}  // namespace

std::unique_ptr<HostExpecter> HostExpecter::measure(Session& session, const Run& run) {
  if (!follows_from_probes(session)) return nullptr;
  const auto& config = session.config();
  std::unique_ptr<HostExpecter> expecter(new HostExpecter({.sliding = config.sliding,
                                                           .buffer_bytes = run.buffers.bytes,
                                                           .spare_bytes = run.buffers.spare_bytes,
                                                           .calls = config.window_calls(),
                                                           .warm_calls = warm_calls(config)}));
  if (on_several_hosts(session) && !expecter->measure_network(session, run)) return nullptr;
  expecter->measure_memory(session, run);
  return expecter;
}

bool HostExpecter::measure_network(Session& session, const Run& run) {
  places_.nodes = nodes_of(session.infos());
  const auto found = probe_network(session);
  if (!found.failure.empty()) {
    say_not_probed(session, {"", "how fast results should be", found.failure});
    return false;
  }
  auto& network = network_.emplace();
  if (!session.is_first()) return true;
  const int nnodes = session.members().place().nnodes;
  network.probed = points_of(found.pairs, nnodes);
  network.limits = limits_of(session, network.probed);
  network.limits.average = session.config().average;
  network.limits.calls = calls_at_once(session.config());
  network.limits.barrier_us = run.memory.barrier_us;
  slow_nodes_ = linerate::slow_nodes(found.pairs, nnodes);
  return true;
}

double HostExpecter::budget_us() const {
  return network_ ? (1 - kNetworksShare) * kBudgetUs : kBudgetUs;
}

void HostExpecter::measure_memory(Session& session, const Run& run) {
  limits_ = limits_before_probes(session, run.memory);
  const auto sizes = agreed_sizes(session, wanted_sizes(session, run));
  auto probed = probe_memory(session, sizes, {.budget_us = budget_us()});
  limits_.memory = std::move(probed.curve);
  left_out_ = std::move(probed.left_out);
  say_left_out(session);
}

// Where nodes have different numbers of ranks, no one curve is that of all their memories.
std::vector<std::size_t> HostExpecter::wanted_sizes(const Session& session, const Run& run) const {
  if (!session.is_first() || !are_equally_full(nodes_of(session.infos()))) return {};
  std::vector<double> footprints;
  for (const auto& what : run.cases)
    for (const auto placement : {Placement::out_of_place, Placement::in_place}) {
      const auto all = grouped(session, what, placement, run.traffic);
      const auto some = footprints_of(touched_together(all, places_));
      footprints.insert(footprints.end(), some.begin(), some.end());
    }
  const int here = ranks_on_first_node(session.infos());
  return probe_sizes(footprints,
                     {.buffer_bytes = 2 * static_cast<std::size_t>(here) * run.buffers.bytes,
                      .cache_bytes = run.memory.cache_bytes});
}

void HostExpecter::say_left_out(const Session& session) const {
  if (left_out_.empty() || !session.is_first() || network_) return;
  tell_left_out(left_out_, budget_us());
}

std::optional<Expectation> HostExpecter::of(const SizedCase& what) const {
  const auto touched = touched_by(what, places_);
  const bool knows_memory = limits_.memory.knows(touched.footprints(), left_out_);
  if (network_) return network_bound(what, network_->limits, memory_us(touched, knows_memory));
  return knows_memory ? host_bound(what, limits_, touched) : std::nullopt;
}

// Below a network's bound: nothing where no memory was probed, 0 where none is known to take
// longer.
std::optional<double> HostExpecter::memory_us(const Touched& touched, bool known) const {
  if (limits_.memory.empty()) return std::nullopt;
  return known ? sure_part(limits_) * limits_.memory.least_us(touched) : 0;
}

std::vector<std::optional<Expectation>> HostExpecter::of_groups(const GroupedCase& what) const {
  const auto touched = touched_together(what, places_);
  if (!limits_.memory.knows(footprints_of(touched), left_out_)) return {};
  return group_bounds(what, limits_, touched);
}

HostExpecter::Probed HostExpecter::probed() const {
  return {.memory = limits_.memory.points(),
          .network = network_ ? network_->probed : std::vector<NetworkPoint>()};
}

HostExpecter::Probed HostExpecter::measure_again(Session& session) const {
  Probed again;
  if (network_) {
    const auto found = probe_network(session);
    if (!found.failure.empty())
      say_not_probed(session, {" again", "whether it stayed as fast", found.failure});
    else if (session.is_first())
      again.network = points_of(found.pairs, session.members().place().nnodes);
  }
  std::vector<std::size_t> sizes;
  for (const auto& point : limits_.memory.points()) sizes.push_back(point.bytes);
  again.memory = probe_memory(session, sizes, {.budget_us = budget_us(), .stops_when_alike = false})
                     .curve.points();
  return again;
}

}  // namespace linerate
