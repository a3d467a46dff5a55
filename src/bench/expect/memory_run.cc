// See memory_run.h.
#include "bench/expect/memory_run.h"

#include "base/wire.h"
#include "topo/machine.h"

#include <span>

namespace linerate {

bool on_host_memory(const Session& session) {
  return session.config().emulate_file.empty() &&
         session.ranks().front().device->kind() == DeviceKind::cpu;
}

bool on_one_node(const Session& session) {
  const auto& infos = session.infos();
  return infos.front().node == infos.back().node;
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
