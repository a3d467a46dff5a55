// The channels that NCCL finds in a node: how many, at which speed, over which GPUs and NICs.
#pragma once

#include "topo/graph/paths.h"

#include <cstdint>
#include <vector>

namespace linerate::topo {

// As NCCL numbers them in its logs and graph files (src/include/graph.h).
enum class Pattern : std::uint8_t {
  balanced_tree = 1,  // NIC traffic spread over two GPUs
  split_tree = 2,     // NIC in at one GPU, out at the next
  tree = 3,           // NIC in and out at one GPU
  ring = 4,
  nvls = 5,  // through the NVSwitches' multicast
  collnet_direct = 6,
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
  bool same_channels = true;  // all channels take the same way
  int cross_nic = 0;          // 0 not, 1 always, 2 tried
  bool simple_order = false;  // "Could not find a path": NCCL's alarm, 0.1 GB/s
  std::vector<Channel> channels{};

  int nchannels() const { return static_cast<int>(channels.size()); }
};

// What is asked of a search besides the graph.
struct SearchLimits {
  bool multi_node = false;
  int min_channels = 1;
  int max_channels = 32;  // NCCL's MAXCHANNELS / 2
  int cross_nic = 2;      // NCCL_CROSS_NIC
  bool collnet = false;   // NIC collectives are asked for: only ports with coll take part
};

// NCCL's search (src/graph/search.cc of the graph's version) with its budget of steps, so that it
// ends where NCCL's ends. Milliseconds for a node of 8 GPUs.
ChannelSet search_channels(const Graph& graph, const Paths& paths, Pattern pattern,
                           const SearchLimits& limits);

}  // namespace linerate::topo
