// TCP between the nodes of a run, asked by one rank of each in a few rounds: over the interface
// that its transport names (tcp_hosts), from threads on the cores of its node's other ranks
// (cores_of_others).
#pragma once

#include "base/result.h"
#include "bench/pairs.h"
#include "bench/session.h"
#include "bench/survey/link_prober.h"
#include "launch/net/address.h"
#include "record/record.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// The addresses, of `own`, of the one interface that a TCP transport uses; a sentence where it may
// be any of several, or none is here. REQUIRES: is_tcp(transport), see model/network_bound.h.
Result<std::vector<std::string>> tcp_hosts(std::string_view transport,
                                           const std::vector<InterfaceAddress>& own);

// Hardware threads as first and one past the last of each run of them: short, for most masks.
using CoreRanges = std::vector<int>;

// REQUIRES: `cores` ascend.
CoreRanges ranges_of(std::span<const int> cores);

// Those in any of `all` that are not in `own`, in ascending order.
std::vector<int> cores_beside(const CoreRanges& own, std::span<const CoreRanges> all);

// Those of the other threads of this thread's node that this thread is not bound to itself: empty
// where nobody is bound. Collective over all threads.
std::vector<int> cores_of_others(Session& session);

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
