// TCP between the nodes of a run, asked by one rank of each in a few rounds.
#pragma once

#include "bench/expect/probed_rounds.h"
#include "bench/session.h"

#include <string>
#include <vector>

namespace linerate {

struct ProbedNetwork {
  std::vector<NodePair> pairs{};
  std::string failure{};  // a sentence; not empty: nothing else counts
};

// Takes about 0.1 s; disjoint pairs at once. Fails where a node's ranks may send over several
// interfaces, and where a pair cannot connect. Collective over all threads; what was found is on
// rank 0's, elsewhere only whether it failed. REQUIRES: the ranks are on several nodes, and each
// transport is TCP.
ProbedNetwork probe_network(Session& session);

}  // namespace linerate
