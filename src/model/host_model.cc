// The memory's time counts below the network's, too.
#include "model/host_model.h"

namespace linerate {

// Below a network's bound the memory's time is unknown where nothing was probed, and 0 where it is
// not known to be more.
std::optional<Expectation> HostModel::bound(const ModeledCall& call) const {
  const auto footprint = footprint_of(call, limits_.reuse);
  const auto& memory = limits_.memory;
  const bool covered =
      !memory.curve.empty() && memory.curve.covers(footprint.distances(), limits_.unprobed);
  if (!limits_.network) return covered ? memory_bound(call, memory, footprint) : std::nullopt;
  std::optional<double> memory_us;
  if (!memory.curve.empty()) memory_us = covered ? min_memory_us(memory, footprint) : 0;
  return network_bound(call, *limits_.network, memory_us);
}

}  // namespace linerate
