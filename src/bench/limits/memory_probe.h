// The memory of each node, measured by all its ranks at once, where they run, in their own buffers.
#pragma once

#include "bench/limits/probe_plan.h"
#include "bench/session.h"
#include "model/memory_bound.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

struct ProbedMemory {
  MemoryCurve curve{};                  // of the slowest node
  std::vector<std::size_t> unprobed{};  // sizes that there was no time for, ascending
};

struct MemoryProbeRules : ProbePlan::Rules {
  bool shared_cores = false;  // ranks wait for each other's cores, which is no noise
};

// Overwrites the ranks' buffers. `sizes` ascend. Collective over all threads, which pass the same
// sizes and rules; the same result on all.
ProbedMemory probe_memory(Session& session, std::span<const std::size_t> sizes,
                          const MemoryProbeRules& rules);

// Says on stderr that there was no time for these sizes.
void say_unprobed(std::span<const std::size_t> sizes, double budget_us);

}  // namespace linerate
