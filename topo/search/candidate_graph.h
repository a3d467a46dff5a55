// A graph of channels while it is searched for: what ncclTopoGraph is in the search.
#pragma once

#include "topo/search/channels.h"
#include "topo/search/search_topology.h"

#include <vector>

namespace linerate::topo {

// GPUs and ports by their number among their kind, path types by their place.
struct CandidateGraph {
  Pattern pattern = Pattern::ring;
  float intra_gbps = 0, inter_gbps = 0;  // of one channel
  double latency_us = 0;
  int intra_type = 0, inter_type = 0;  // the farthest that is allowed
  bool same_channels = true;
  int cross_nic = 0;
  bool collnet = false;
  int min_channels = 1, max_channels = 1;
  int n = 0;     // channels found; the next one is being tried
  int hops = 0;  // of all of them
  std::vector<Channel> channels{};

  Channel& channel(int c) { return channels[static_cast<std::size_t>(c)]; }
  const Channel& channel(int c) const { return channels[static_cast<std::size_t>(c)]; }
  bool is_tree() const;
  // Whether a whole channel may take a path between two GPUs, by its path types; trees need both
  // directions.
  bool allows(const SearchPath& path) const {
    return path.type <= intra_type && (!is_tree() || path.back_type <= intra_type);
  }
  bool has_heads() const;  // NVLS and CollNetDirect: one GPU a channel, all others are equal
};

// Whether `found` is better than `best`: it has its channels, and more GB/s of all together or, at
// as many, fewer hops.
bool improves(const SearchTopology& topology, const CandidateGraph& found,
              const CandidateGraph& best);

// The channels as the graph's nodes.
ChannelSet finished(const SearchTopology& topology, const CandidateGraph& candidate);

}  // namespace linerate::topo
