// What all who probe a host's memory ask of a run.
#pragma once

#include "bench/expect/host_bound.h"
#include "bench/session.h"

#include <cstddef>
#include <span>
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

// `nodes` are each rank's, counted from 0 (see nodes_of()): whether all ranks are on one of them,
// and whether each has equally many.
bool on_one_node(std::span<const int> nodes);
bool are_equally_full(std::span<const int> nodes);

// All but the memory; that of the caches on rank 0 alone.
HostLimits limits_before_probes(const Session& session, const MemoryRun& run);

// The first thread's sizes, which hold for all: what is free changes from one question to the next.
// Collective over all threads.
std::vector<std::size_t> agreed_sizes(Session& session, const std::vector<std::size_t>& mine);

}  // namespace linerate
