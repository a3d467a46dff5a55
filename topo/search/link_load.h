// What the channels found so far leave of every link, and whether more could fit at all.
#pragma once

#include "topo/search/candidate_graph.h"
#include "topo/search/search_topology.h"

#include <vector>

namespace linerate::topo {

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
