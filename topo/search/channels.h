// The channels that NCCL finds in a node: how many, at which speed, over which GPUs and NICs.
//
// NCCL searches a node's graph for rings, trees and the other patterns before it runs anything; all
// its speeds and choices follow from what it finds. This folder repeats that search (NCCL's
// src/graph/search.cc, from 2.18 to 2.30) step by step with its budget of steps, so that it ends
// where NCCL's ends. Start at search_channels() here, then read channel_search.cc.
//
//   here                        NCCL
//   search_channels             ncclTopoCompute
//   ChannelSet                  struct ncclTopoGraph, finished
//   CandidateGraph              struct ncclTopoGraph, while it is searched for
//   improves                    ncclTopoCompareGraphs
//   ChannelSearch               the passes of ncclTopoCompute: relax speed and path types
//   RecursiveSearch             ncclTopoSearchRec, ncclTopoSearchRecNet, ncclTopoSearchRecGpu
//   SearchPos::step             step
//   SearchPos::back_to_net      backToNet
//   SearchPos::back_to_first    backToFirstRank
//   SearchPos::order            forcedOrder: FORCED_ORDER_PCI, FORCED_ORDER_REPLAY
//   Budget                      time: NCCL_SEARCH_TIMEOUT and its variants
//   SearchTopology              struct ncclTopoSystem and the paths of its nodes
//   SearchPath, SearchHop       struct ncclTopoLinkList and its links
//   LinkLoad::take, give_back   followPath, with the speed and with its negative
//   GpuOrder, NextGpu           ncclTopoSearchNextGpuSort, struct ncclGpuScore
//   NetChoice                   ncclTopoSelectNets
//   intra_gbps, inter_gbps      bwIntra, bwInter
//   intra_type, inter_type      typeIntra, typeInter
//   coll_channels               the end of ncclTopoPostset
//   nvls_channels               ncclNvlsInit
#pragma once

#include "topo/graph/paths.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace linerate::topo {

// As NCCL numbers them in its logs and graph files (src/include/graph.h).
enum class Pattern : std::uint8_t {
  balanced_tree = 1,  // NIC traffic spread over two GPUs
  tree = 3,           // NIC in and out at one GPU
  ring = 4,
  nvls = 5,  // through the NVSwitches' multicast
};

// One channel: GPUs in the order of the pattern, nodes of the graph.
struct Channel {
  std::vector<int> gpus{};
  int net_in = -1, net_out = -1;  // NIC ports; -1: within the node

  bool operator==(const Channel&) const = default;
};

// What a search found for one pattern; no channels: NCCL cannot use the pattern here.
struct ChannelSet {
  Pattern pattern = Pattern::ring;
  double intra_gbps = 0, inter_gbps = 0;  // of one channel
  double inter_latency_us = 0;            // of the NIC, as its plugin tells
  PathType intra_type = PathType::loc, inter_type = PathType::loc;  // farthest path used
  bool same_channels = true;  // all channels have the same GPUs in the same order
  int cross_nic = 0;          // 0 not, 1 all, 2 in pairs that go back and forth
  bool simple_order = false;  // "Could not find a path": NCCL's alarm, 0.1 GB/s
  std::vector<Channel> channels{};

  int nchannels() const { return static_cast<int>(channels.size()); }
};

// What is asked of a search besides the graph.
struct SearchLimits {
  int min_channels = 1;
  int max_channels = 32;  // NCCL's MAXCHANNELS / 2
};

// What NCCL's environment variables ask of a node's channels.
struct ChannelSettings {
  static constexpr int kAny = std::numeric_limits<int>::max();

  bool nvls = true;                           // NCCL_NVLS_ENABLE
  int min_ctas = 1, max_ctas = kAny;          // NCCL_MIN_CTAS, NCCL_MAX_CTAS: of NVLS, too
  int min_channels = 0, max_channels = kAny;  // NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS

  bool operator==(const ChannelSettings&) const = default;
};

class SearchTopology;

// NCCL's search (src/graph/search.cc of the graph's version) with its budget of steps, so that it
// ends where NCCL's ends, and with NCCL's defaults of the environment: NCCL_CROSS_NIC is 2, NVLS is
// on, NIC collectives (CollNet) are not. Milliseconds for a node of 8 GPUs. Several searches may
// share a topology.
ChannelSet search_channels(const SearchTopology& topology, Pattern pattern,
                           const SearchLimits& limits);

// Rings and trees have as many channels as the fewer of them; patterns that cannot be used have
// none.
struct NodeChannels {
  ChannelSet ring{}, tree{}, nvls{};
  int coll_channels = 0;  // that collectives run on: what NCCL logs as "coll channels"
  int nvls_channels = 0;  // that NVLS runs on: "nvls channels"
  // The same where no variable asks for others.
  int own_coll_channels = 0, own_nvls_channels = 0;
  // Of the slowest path from a GPU to one of its NIC ports; 0: none, or one node.
  double nic_gbps = 0;
};

// What collectives run on follows from what was found in the graph.
struct ChannelCount {
  NcclVersion version{};
  int found = 0;         // channels of rings and trees
  int sm = 0;            // the lowest compute capability, 90 for 9.0
  int nnodes = 1;        // above two, how many does not matter
  double ring_gbps = 0;  // of one ring within the node
  int node_gpus = 8;     // of the node that has fewest
  double nic_gbps = 0;   // as of NodeChannels
  ChannelSettings asked{};

  bool multi_node() const { return nnodes > 1; }
};

// What NCCL opens: from 2.20 to 2.27 as many as NVLS needs, where those are more.
int open_channels(const NodeChannels& found, const NcclVersion& version);

// Every channel found becomes two, and where few fast ones come from compute capability 9 and
// several nodes, four (ncclTopoPostset in src/graph/connect.cc). What is asked for comes last, the
// minimum after the maximum.
int coll_channels(const ChannelCount& count);

// ncclNvlsInit in src/transport/nvls.cc, for GPUs with NVLS; from 2.30 on ncclNvlsTuning.
int nvls_channels(const ChannelCount& count);

// What NCCL sets up on a node before it runs a collective: the channels of every pattern.
// `multi_node`: there are more nodes than this one; channels are counted for three.
NodeChannels find_node_channels(const Graph& graph, const Paths& paths, bool multi_node,
                                const ChannelSettings& asked = {});

// Cuts rings and trees to the fewer of them, and counts the channels that run on them. Of `job`,
// what was found is filled in here.
void count_channels(NodeChannels& found, ChannelCount job);

}  // namespace linerate::topo
