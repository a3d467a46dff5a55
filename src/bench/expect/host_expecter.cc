// See host_expecter.h.
#include "bench/expect/host_expecter.h"

#include "base/wire.h"
#include "bench/expect/group_bound.h"
#include "bench/expect/node_probe.h"
#include "bench/groups.h"
#include "topo/machine.h"

#include <algorithm>

namespace linerate {
namespace {

// Beyond it the closed forms, a part for each pair of ranks, take longer than they are worth.
constexpr int kMostRanks = 1024;
// Before and after a run. On a busy machine, where cores are waited for, it may take longer.
constexpr double kBudgetUs = 200e3;

bool in_one_memory(const Session& session) {
  const auto& ranks = session.ranks();
  return session.config().emulate_file.empty() &&
         largest_group(session.config(), session.nranks()) > 1 && session.nranks() <= kMostRanks &&
         session.infos().front().node == session.infos().back().node &&
         ranks.front().device->kind() == DeviceKind::cpu;
}

// Of all groups, which is one where the ranks are not split.
GroupedCase grouped(const Session& session, const Case& what, Placement placement,
                    const TrafficMatrix* traffic) {
  GroupedCase grouped{.what = what, .placement = placement};
  for (const auto& [color, nranks] : group_sizes(session.config(), session.nranks()))
    grouped.groups.push_back(
        {.sizing = {.count = count_of(*what.collective, what.bytes, what.type, nranks),
                    .nranks = nranks,
                    .traffic = traffic,
                    .type = what.type}});
  return grouped;
}

// The first lane's sizes hold for all: what is free changes from one question to the next.
std::vector<std::size_t> agreed(Session& session, const std::vector<std::size_t>& mine) {
  WireWriter out;
  for (const auto size : mine) out.put(size);
  const auto bytes = session.members().broadcast(out.bytes(), 0, session.init_deadline());
  WireReader in(bytes);
  std::vector<std::size_t> sizes;
  while (!in.empty()) sizes.push_back(in.get<std::size_t>());
  return sizes;
}

}  // namespace

std::unique_ptr<HostExpecter> HostExpecter::measure(Session& session, const Run& run) {
  if (!in_one_memory(session)) return nullptr;
  const auto& config = session.config();
  std::unique_ptr<HostExpecter> expecter(
      new HostExpecter({.sliding = config.sliding,
                        .buffer_bytes = run.buffer_bytes,
                        .calls = config.iters * static_cast<std::uint64_t>(config.agg_iters),
                        .warm_calls = config.warmup_iters}));
  if (session.is_first())
    expecter->limits_.l3_bytes =
        run.cache_bytes > 0 ? run.cache_bytes : describe_machine().l3_bytes;
  const auto sizes = agreed(session, expecter->wanted_sizes(session, run));
  auto probed = probe_memory(session, sizes, {.budget_us = kBudgetUs});
  expecter->limits_.memory = std::move(probed.curve);
  expecter->left_out_ = std::move(probed.left_out);
  expecter->say_left_out(session);
  expecter->limits_.latency_us = run.barrier_us / 2;  // there, and the answer back
  expecter->limits_.direct = run.direct;
  expecter->limits_.crowded = run.crowded;
  return expecter;
}

std::vector<std::size_t> HostExpecter::wanted_sizes(const Session& session, const Run& run) const {
  if (!session.is_first()) return {};
  std::vector<double> footprints;
  for (const auto& what : run.cases)
    for (const auto placement : {Placement::out_of_place, Placement::in_place})
      footprints.push_back(touched_together(grouped(session, what, placement, run.traffic), places_)
                               .front()
                               .footprint_bytes);
  const auto nranks = static_cast<std::size_t>(session.nranks());
  return probe_sizes(
      footprints, {.buffer_bytes = 2 * nranks * run.buffer_bytes, .cache_bytes = run.cache_bytes});
}

void HostExpecter::say_left_out(const Session& session) const {
  if (left_out_.empty() || !session.is_first()) return;
  tell_left_out(left_out_, kBudgetUs);
}

std::optional<Expectation> HostExpecter::of(const SizedCase& what) const {
  const auto touched = touched_by(what, places_);
  if (limits_.memory.empty() || !limits_.memory.knows(touched.footprint_bytes, left_out_))
    return std::nullopt;
  return host_bound(what, limits_, touched);
}

std::vector<std::optional<Expectation>> HostExpecter::of_groups(const GroupedCase& what) const {
  const auto touched = touched_together(what, places_);
  if (limits_.memory.empty() || !limits_.memory.knows(touched.front().footprint_bytes, left_out_))
    return {};
  return group_bounds(what, limits_, touched);
}

MemoryCurve HostExpecter::measure_again(Session& session) const {
  std::vector<std::size_t> sizes;
  for (const auto& point : limits_.memory.points()) sizes.push_back(point.bytes);
  return probe_memory(session, sizes, {.budget_us = kBudgetUs, .stops_when_alike = false}).curve;
}

}  // namespace linerate
