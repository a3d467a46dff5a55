// A set of channels while it is searched for.
#pragma once

#include "topo/search/channels.h"
#include "topo/search/ground.h"

#include <vector>

namespace linerate::topo {

// GPUs and ports by their number among their kind, path types by their place.
struct Draft {
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
  // Whether a whole channel may go a way between two GPUs, by its path types: trees are gone back.
  bool may_go_inside(const Way& way) const {
    return way.type <= intra_type && (!is_tree() || way.back_type <= intra_type);
  }
  bool has_heads() const;  // NVLS and CollNetDirect: one GPU a channel, all others are equal
};

// Whether `found` is better than `best`: it has its channels, and more GB/s of all together or, at
// as many, fewer hops.
bool improves(const Ground& ground, const Draft& found, const Draft& best);

// The channels as the graph's nodes.
ChannelSet finished(const Ground& ground, const Draft& draft);

}  // namespace linerate::topo
