// A graph of channels while it is searched for, what ncclTopoGraph is in the search, and what the
// channels found so far leave of every link.
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
  int min_channels = 1, max_channels = 1;
  int n = 0;     // channels found; the next one is being tried
  int hops = 0;  // of all of them
  std::vector<Channel> channels{};

  Channel& channel(int c) { return channels[static_cast<std::size_t>(c)]; }
  const Channel& channel(int c) const { return channels[static_cast<std::size_t>(c)]; }
  bool is_tree() const { return pattern == Pattern::balanced_tree || pattern == Pattern::tree; }
  // Whether a whole channel may take a path between two GPUs, by its path types; trees need both
  // directions.
  bool allows(const SearchPath& path) const {
    return path.type <= intra_type && (!is_tree() || path.back_type <= intra_type);
  }
  // One GPU a channel, to which all others are equal.
  bool has_heads() const { return pattern == Pattern::nvls; }
};

// Whether `found` is better than `best`: it has its channels, and more GB/s of all together or, at
// as many, fewer hops.
bool improves(const SearchTopology& topology, const CandidateGraph& found,
              const CandidateGraph& best);

// The channels as the graph's nodes.
ChannelSet finished(const SearchTopology& topology, const CandidateGraph& candidate);

// What the channels found so far leave of every link.
class LinkLoad {
 public:
  explicit LinkLoad(const SearchTopology& topology) : free_(topology.links()) {}

  // Takes `gbps` along the path, or nothing and false where a link has not so much left.
  bool take(const SearchPath& path, float gbps);
  void give_back(const SearchPath& path, float gbps) { (void)move(path, -gbps, path.hops.size()); }
  // Whether every link of the path can carry it, one after the other.
  bool can_take(const SearchPath& path, float gbps) const;
  float free(int link) const { return free_[static_cast<std::size_t>(link)]; }

 private:
  struct Share {
    float forth = 0, back = 0;
  };
  static Share share_of(const SearchPath& path, const SearchHop& hop, float gbps);
  bool has(const SearchHop& hop, const Share& share) const;
  std::size_t move(const SearchPath& path, float gbps, std::size_t hops);
  std::vector<float> free_;
};

// Whether the paths that the candidate's path types allow, and whose links carry its speed while
// nothing else does, lead from every GPU to every other and, between nodes, from a port to a GPU.
// Where they do not, no channel passes all GPUs. REQUIRES: no candidate of heads.
bool connects_all_gpus(const SearchTopology& topology, const CandidateGraph& candidate);

}  // namespace linerate::topo
