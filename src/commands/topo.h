// The parts of linerate topo: the views of one system (topo.cc), and those in files of their own.
#pragma once

#include "cli/topo_config.h"
#include "commands/command.h"
#include "topo/cluster/cluster.h"
#include "topo/system/system.h"

namespace linerate {

// topo place: which devices the ranks of a job get, and the order of its mesh.
ExitCode topo_place(const CommandInput& input);

// --graphs: the channels of one of NCCL's dumps; with a second file or a machine, what differs.
ExitCode show_graphs(const TopoConfig& config);

// --measure: what this machine gives, and TCP between the nodes of a job. Measures for seconds,
// prints, and keeps what later runs use. In a job of several processes the first one of each node
// measures, and rank 0 prints.
ExitCode measure_machine(const CommandInput& input, const TopoConfig& config);

// --lint: what looks wrong with a machine, or with several files of them beside each other.
ExitCode lint_machines(const TopoConfig& config);

// --lint of the nodes of a cluster.
ExitCode lint_cluster(const TopoConfig& config, const topo::Cluster& cluster);

// What NCCL's variables ask of a prediction, into the configuration; notes on stderr name those
// that are left out. A sentence where NCCL would end with an error.
Refusal read_nccl_environment(const Environment& environment, TopoConfig& config);

// --predict: what NCCL will do on the cluster of --cluster.
ExitCode predict_on_cluster(const TopoConfig& config, topo::Cluster cluster);

// --predict: likewise on as many nodes like this one as --nodes asks for, with a network that never
// is in the way.
ExitCode predict_on_nodes(const TopoConfig& config, topo::System system);

}  // namespace linerate
