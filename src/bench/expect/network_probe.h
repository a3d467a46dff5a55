// TCP between the nodes of a run, asked by one rank of each in a few rounds.
#pragma once

#include "bench/pairs.h"
#include "bench/session.h"
#include "bench/survey/tcp_probe.h"

#include <string>
#include <vector>

namespace linerate {

// Of two nodes; the first one measured: `speed.out_gbps` is from the first to the second.
struct NodePair {
  int first = 0, second = 0;
  TcpBothWays speed{};
};

struct ProbedNetwork {
  std::vector<NodePair> pairs{};
  std::string failure{};  // a sentence; not empty: nothing else counts
};

// The rounds that are asked: disjoint pairs, such that each node meets up to three others.
std::vector<Round> probed_rounds(int nnodes);

// Takes about 0.1 s; disjoint pairs at once. Fails where a node's ranks may send over several
// interfaces, and where a pair cannot connect. Collective over all lanes; what was found is on rank
// 0's, elsewhere only whether it failed. REQUIRES: the ranks are on several nodes, and each
// transport is TCP.
ProbedNetwork probe_network(Session& session);

}  // namespace linerate
