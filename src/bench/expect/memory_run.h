// What all who probe a host's memory ask of a run.
#pragma once

#include "bench/expect/host_bound.h"
#include "bench/session.h"

#include <cstddef>
#include <vector>

namespace linerate {

// What a run knows of its ranks before they probe.
struct MemoryRun {
  double barrier_us = 0;
  bool crowded = false;         // ranks share cores; on rank 0
  std::size_t cache_bytes = 0;  // RunEvents::cache_bytes, on rank 0
};

// Whether ranks work on their hosts' memory, with no emulated network between them.
bool on_host_memory(const Session& session);

// Whether all ranks are on one node, as the backend says.
bool on_one_node(const Session& session);

// All but the memory; that of the caches on rank 0 alone.
HostLimits limits_before_probes(const Session& session, const MemoryRun& run);

// The first lane's sizes, which hold for all: what is free changes from one question to the next.
// Collective over all lanes.
std::vector<std::size_t> agreed_sizes(Session& session, const std::vector<std::size_t>& mine);

}  // namespace linerate
