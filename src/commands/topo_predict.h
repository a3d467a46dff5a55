// linerate topo --predict: what NCCL will do on nodes or a cluster.
#pragma once

#include "base/exit_code.h"
#include "cli/topo_words.h"
#include "topo/cluster/cluster.h"

namespace linerate {

// Of the cluster of --cluster.
ExitCode predict_on_cluster(const TopoConfig& config, topo::Cluster cluster);

// Of as many nodes like this one as --nodes asks for, with a network that never is in the way.
ExitCode predict_on_nodes(const TopoConfig& config, topo::System system);

}  // namespace linerate
