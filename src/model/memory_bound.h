// Bound on the busbw of collectives whose ranks share one host's memory.
#pragma once

#include "model/memory_curve.h"
#include "model/model.h"

#include <cstddef>
#include <optional>

namespace linerate {

// What a host's memory gives to the ranks of a run.
struct MemoryLimits {
  MemoryCurve curve{};
  double latency_us = 0;      // of one message between ranks
  std::size_t l3_bytes = 0;   // of the ranks' last-level caches, as far as they are known to work
  bool direct = true;         // Capabilities::direct
  bool shared_cores = false;  // there are more ranks than cores
};

// Lower bound on the memory's time. Half of what the curve says where ranks share cores: such a
// probe is so short that it shows the scheduler, and runs were up to 1.9 times as fast.
double min_memory_us(const MemoryLimits& limits, const Footprint& footprint);

// busbw at time = min_memory_us + one message. Half the bound is healthy, times the fraction of
// active ranks; 0.15 within caches, near the latency, where the library copies on the way, and
// where ranks exchange data in place (docs/verdicts.md). Nothing where the bus factor is 0, no
// memory was probed, or ranks share cores and the message takes longer than the memory: then a
// barrier, of which the message's time is known, shows the scheduler.
std::optional<Expectation> memory_bound(const ModeledCall& call, const MemoryLimits& limits,
                                        const Footprint& footprint);

}  // namespace linerate
