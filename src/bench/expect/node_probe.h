// The memory of a node, asked by all its ranks at once, each where it runs.
#pragma once

#include "bench/expect/memory_curve.h"
#include "bench/session.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// Sizes at which a curve is measured, so that every footprint lies between two of them or beyond
// memory's own: each four times the one before, and the last beyond the caches, unless that is
// more than half a gigabyte or an eighth of the free memory.
std::vector<std::size_t> probe_sizes(std::span<const double> footprints, std::size_t l3_bytes,
                                     std::size_t free_bytes);

// Of the slowest node. Takes a fraction of a second; the ranks' own buffers stay as they are.
// Collective over all lanes, which give the same sizes; the same on all.
MemoryCurve probe_memory(Session& session, std::span<const std::size_t> sizes);

}  // namespace linerate
