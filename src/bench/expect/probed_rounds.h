// Which pairs of nodes a probe of the network asks, and in which rounds: pure.
#pragma once

#include "bench/pairs.h"
#include "bench/survey/tcp_probe.h"

#include <vector>

namespace linerate {

// Of two nodes; the first one measured: `speed.out_gbps` is from the first to the second.
struct NodePair {
  int first = 0, second = 0;
  TcpBothWays speed{};
};

// The rounds that are asked: disjoint pairs, such that each node meets two or three others; two
// nodes meet twice: what a probe lost for a moment the next one finds. In the first two each
// meets a neighbour, as in a ring: where nodes count through racks one after the other, most are of
// its own rack. In the third all meet nodes far away at once.
std::vector<Round> probed_rounds(int nnodes);

}  // namespace linerate
