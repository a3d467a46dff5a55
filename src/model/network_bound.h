// Bound on the busbw of collectives over the TCP between several nodes.
#pragma once

#include "model/model.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// What TCP gives to the nodes of a run.
struct NetworkLimits {
  std::vector<NetworkPoint> points{};    // by node
  std::vector<std::string> hostnames{};  // by node
  std::vector<int> nodes{};              // of each rank
  double barrier_us = 0;                 // of the library: what its small messages take
};

// "TCP" or "TCP on eth0,10.1.0.0/16" (see Communicator::transport()).
bool is_tcp(std::string_view transport);

// Nodes of a run should be alike: of three or more, one that reaches less than half of the median
// in one direction gets the median there. Of two nodes there is no median.
std::vector<NetworkPoint> healthy_points(std::vector<NetworkPoint> points);

// Upper bound on the busbw of the slowest rank:
//   time >= max(inter-node bytes / TCP bandwidth, memory time, one-way latency),
// the latency only where every rank waits for a message. Libraries do not know nodes and send more
// than they must: low_gbps leaves room for a flat ring or tree over all ranks; it is 0 where
// `memory_us` is unknown. Nothing where the bus factor is 0, or no byte has to leave a node.
std::optional<Expectation> network_bound(const ModeledCall& call, const NetworkLimits& limits,
                                         std::optional<double> memory_us);

}  // namespace linerate
