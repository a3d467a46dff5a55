// See memory_run.h.
#include "bench/expect/memory_run.h"

#include "base/wire.h"
#include "topo/machine.h"

#include <algorithm>
#include <map>

namespace linerate {

bool on_host_memory(const Session& session) {
  return session.config().emulate_file.empty() &&
         session.ranks().front().device->kind() == DeviceKind::cpu;
}

bool on_one_node(std::span<const int> nodes) {
  return std::ranges::all_of(nodes, [&](int node) { return node == nodes.front(); });
}

bool are_equally_full(std::span<const int> nodes) {
  std::map<int, int> nranks;
  for (const int node : nodes) ++nranks[node];
  return std::ranges::all_of(
      nranks, [&](const auto& node) { return node.second == nranks.begin()->second; });
}

HostLimits limits_before_probes(const Session& session, const MemoryRun& run) {
  HostLimits limits{.latency_us = run.barrier_us / 2,  // there, and the answer back
                    .direct = session.capabilities().direct,
                    .crowded = run.crowded};
  if (session.is_first())
    limits.l3_bytes = run.cache_bytes > 0 ? run.cache_bytes : describe_machine().l3_bytes;
  return limits;
}

std::vector<std::size_t> agreed_sizes(Session& session, const std::vector<std::size_t>& mine) {
  WireWriter out;
  out.put_all(std::span<const std::size_t>(mine));
  const auto bytes = session.members().broadcast(out.bytes(), 0, session.init_deadline());
  return WireReader(bytes).get_all<std::size_t>();
}

}  // namespace linerate
