// What NCCL sets up on a node before it runs a collective: the channels of every pattern.
#pragma once

#include "topo/search/channels.h"

namespace linerate::topo {

// The job that a node takes part in.
struct ChannelJob {
  bool multi_node = false;  // more nodes than this one, all alike
  bool collnet = false;     // NIC collectives are on (NCCL_COLLNET_ENABLE)
  bool nvls = true;         // NCCL_NVLS_ENABLE
  int cross_nic = 2;        // NCCL_CROSS_NIC
  int min_ctas = 1;         // NCCL_MIN_CTAS
  int max_ctas = 64;        // NCCL_MAX_CTAS; no version has more than 64 channels
};

// Rings and trees have as many channels as the fewer of them; patterns that cannot be used have
// none. CollNet's are searched for with `collnet` only.
struct NodeChannels {
  ChannelSet ring, tree, nvls, collnet_chain, collnet_direct;
  int coll_channels = 0;  // that collectives run on: what NCCL logs as "coll channels"
  int nvls_channels = 0;  // that NVLS runs on: "nvls channels"
};

// What collectives run on follows from what was found in the graph.
struct ChannelCount {
  NcclVersion version{};
  int found = 0;  // channels of rings and trees
  int sm = 0;     // the lowest compute capability, 90 for 9.0
  int gpus = 1;   // of the node
  bool multi_node = false;
  double ring_gbps = 0;       // of one ring within the node
  bool widens_chain = false;  // CollNet chains are faster within the node than between nodes
  int min_ctas = 1, max_ctas = 64;
};

// Every channel found becomes two, and where few fast ones come from compute capability 9 and
// several nodes, four; then the limits that the user gave (ncclTopoPostset in
// src/graph/connect.cc).
int coll_channels(const ChannelCount& count);

// ncclNvlsInit in src/transport/nvls.cc, for GPUs with NVLS.
int nvls_channels(const ChannelCount& count);

NodeChannels find_node_channels(const Graph& graph, const Paths& paths, const ChannelJob& job);

}  // namespace linerate::topo
