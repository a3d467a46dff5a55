// See host_expecter.h.
#include "bench/expect/host_expecter.h"

#include "base/wire.h"
#include "bench/expect/node_probe.h"
#include "topo/machine.h"

#include <algorithm>

namespace linerate {
namespace {

// Beyond it the closed forms, a part for each pair of ranks, take longer than they are worth.
constexpr int kMostRanks = 1024;

bool in_one_memory(const Session& session) {
  const auto& ranks = session.ranks();
  return session.config().emulate_file.empty() && session.ngroups() == 1 && session.nranks() > 1 &&
         session.nranks() <= kMostRanks &&
         session.infos().front().node == session.infos().back().node &&
         ranks.front().device->kind() == DeviceKind::cpu;
}

SizedCase sized(const Case& what, Placement placement, int nranks, const TrafficMatrix* traffic) {
  return {.what = what,
          .placement = placement,
          .sizing = {.count = count_of(*what.collective, what.bytes, what.type, nranks),
                     .nranks = nranks,
                     .traffic = traffic,
                     .type = what.type}};
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
                        .calls = config.iters * static_cast<std::uint64_t>(config.agg_iters)}));
  expecter->limits_.l3_bytes = session.is_first() ? describe_machine().l3_bytes : 0;
  expecter->sizes_ = agreed(session, expecter->wanted_sizes(session, run));
  expecter->limits_.memory = probe_memory(session, expecter->sizes_);
  expecter->limits_.latency_us = run.barrier_us / 2;  // there, and the answer back
  expecter->limits_.direct = run.direct;
  return expecter;
}

std::vector<std::size_t> HostExpecter::wanted_sizes(const Session& session, const Run& run) const {
  if (!session.is_first()) return {};
  std::vector<double> footprints;
  for (const auto& what : run.cases)
    for (const auto placement : {Placement::out_of_place, Placement::in_place})
      footprints.push_back(
          touched_by(sized(what, placement, session.nranks(), run.traffic), places_)
              .footprint_bytes);
  return probe_sizes(footprints, limits_.l3_bytes, session.ranks().front().device->free_bytes());
}

std::optional<Expectation> HostExpecter::of(const SizedCase& what) const {
  return host_bound(what, limits_, touched_by(what, places_));
}

MemoryCurve HostExpecter::measure_again(Session& session) const {
  return probe_memory(session, sizes_);
}

}  // namespace linerate
