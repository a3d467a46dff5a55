// The memory of a node, asked by all its ranks at once, each where it runs, in their own buffers.
#pragma once

#include "bench/expect/memory_curve.h"
#include "bench/expect/probe_plan.h"
#include "bench/session.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

struct ProbedMemory {
  MemoryCurve curve{};                  // of the slowest node
  std::vector<std::size_t> left_out{};  // sizes for which no time was left, in ascending order
};

// The ranks' buffers are overwritten. Collective over all threads, which give the same sizes, in
// ascending order, and the same rules; the same on all.
ProbedMemory probe_memory(Session& session, std::span<const std::size_t> sizes,
                          const ProbePlan::Rules& rules);

// The same of one rank while the others sleep, for so long at most: the best of a few ranks, which
// are asked one after the other. Points say so (MemoryPoint::nranks). Collective over all threads;
// the same on all.
ProbedMemory probe_lone_memory(Session& session, std::span<const std::size_t> sizes,
                               double budget_us);

// Says on stderr that these sizes found no time within so much.
void tell_left_out(std::span<const std::size_t> sizes, double budget_us);

}  // namespace linerate
