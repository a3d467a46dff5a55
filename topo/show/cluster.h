// A cluster in words.
#pragma once

#include "topo/cluster/cluster.h"
#include "topo/version.h"

#include <string>

namespace linerate::topo {

// Its groups, what a node of each is, and the switches between them with the bandwidth that their
// oversubscription leaves; every line ended.
std::string cluster_text(const Cluster& cluster, const NcclVersion& version = {});

}  // namespace linerate::topo
