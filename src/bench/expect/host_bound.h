// How fast collectives over one host's memory can be at most.
#pragma once

#include "bench/config.h"
#include "bench/expect/memory_curve.h"
#include "bench/plan.h"

#include <cstddef>
#include <optional>

namespace linerate {

// What the host gave to the ranks of a run.
struct HostLimits {
  MemoryCurve memory{};
  double latency_us = 0;  // from one rank to another
};

// A case as the run does it.
struct HostCase {
  const Case& what;
  Placement placement = Placement::out_of_place;
  Sizing sizing{};  // of the row; the rank does not matter
};

// What its calls touch. While buffers slide, calls come back to the same place after
// `buffer_bytes`, the bytes of one rank's buffer.
Touched touched_by(const HostCase& what, Sliding sliding, std::size_t buffer_bytes);

// busbw of a call that takes no longer than its bytes take memory and one message takes between
// ranks. Nothing where the bus factor is 0, as of one rank.
std::optional<Expectation> host_bound(const HostCase& what, const HostLimits& limits,
                                      const Touched& touched);

}  // namespace linerate
