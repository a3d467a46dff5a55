// What collectives made of sends put on the switches of a cluster.
#pragma once

#include "topo/cluster/fabric_bound.h"
#include "topo/model/p2p_model.h"

#include <optional>

namespace linerate::topo {

// A step on the first nodes of a cluster, as shares of the call's bytes. A send stays within a leaf
// where it leaves its node on the rail on which it arrives in the same rack; where it is spread
// over several NICs, as much of it as can. The n-th node is the cluster's n-th.
FabricTraffic traffic_of(const Cluster& cluster, const P2pModel& sends, const P2pStep& step);

// The model's costs, of each step those of the narrowest link where that needs longer than the
// node's own, and the latency of switches. REQUIRES: the first sends.ranks().nnodes nodes of the
// cluster are alike.
std::optional<P2pCosts> costs_on(const Cluster& cluster, const FabricLinks& links,
                                 const P2pModel& sends, const Collective& what);

}  // namespace linerate::topo
