// From a node and its channels to what NCCL's model knows of a job.
#pragma once

#include "topo/model/job_shape.h"
#include "topo/search/node_channels.h"

namespace linerate::topo {

// Nodes that are all alike, with a rank on each of their GPUs.
struct JobOptions {
  int nnodes = 1;
  bool collnet = false;  // NCCL_COLLNET_ENABLE
  bool nvls = true;      // NCCL_NVLS_ENABLE
  int cross_nic = 2;     // NCCL_CROSS_NIC
  int min_ctas = 1, max_ctas = 64;
};

// Searches the node's channels. Milliseconds. REQUIRES: the graph has a GPU.
JobShape job_of(const Graph& graph, const JobOptions& options);

}  // namespace linerate::topo
