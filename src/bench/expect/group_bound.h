// How fast groups of ranks can be at most that use one host's memory at the same time.
#pragma once

#include "bench/expect/expecter.h"
#include "bench/expect/host_bound.h"
#include "bench/expect/memory_curve.h"
#include "bench/expect/places.h"

#include <optional>
#include <vector>

namespace linerate {

// What the calls of each group touch, with the footprints of all together.
std::vector<Touched> touched_together(const GroupedCase& what, const Places& places);

// Of each group the busbw that it would have reached if memory had done nothing but the groups'
// bytes until it was done: where the others end later, some of theirs lies after that, and where
// they are done, all of theirs lies before. A healthy group may stay below that as any run may (see
// host_bound), and as far as its part of the ranks is of all: more than its own cores take it need
// not get. Nothing for groups of one rank. `limits.latency_us` is between all ranks.
// REQUIRES: `touched` is touched_together(what); spans of each window and group.
std::vector<std::optional<Expectation>> group_bounds(const GroupedCase& what,
                                                     const HostLimits& limits,
                                                     const std::vector<Touched>& touched);

}  // namespace linerate
