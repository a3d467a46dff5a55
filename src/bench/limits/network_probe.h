// TCP between the nodes of a run, asked by one rank of each in a few rounds.
#pragma once

#include "bench/pairs.h"
#include "bench/session.h"
#include "bench/survey/link_prober.h"
#include "record/record.h"

#include <span>
#include <string>
#include <vector>

namespace linerate {

// The rounds that are asked: disjoint pairs, such that each node meets two or three others; two
// nodes meet twice: what a probe lost for a moment the next one finds. In the first two each
// meets a neighbour, as in a ring: where nodes count through racks one after the other, most are of
// its own rack. In the third all meet nodes far away at once.
std::vector<Round> probed_rounds(int nnodes);

struct ProbedNetwork {
  std::vector<NodeLink> links{};
  std::string failure{};  // a sentence; not empty: nothing else counts
};

// Takes about 0.1 s; disjoint pairs at once. Fails where a node's ranks may send over several
// interfaces, and where a pair cannot connect. Collective over all threads; what was found is on
// rank 0's, elsewhere only whether it failed. REQUIRES: the ranks are on several nodes, and each
// transport is TCP.
ProbedNetwork probe_network(Session& session);

// The best that each node reached in any of its pairs: a slow node slows its partners too.
std::vector<NetworkPoint> points_of(std::span<const NodeLink> links, int nnodes);

}  // namespace linerate
