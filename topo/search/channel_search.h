// The order in which a search gives in: what it asks for less of, until channels are found, and
// what it then tries to raise again.
#pragma once

#include "topo/search/candidate_graph.h"
#include "topo/search/recursive_search.h"
#include "topo/search/search_order.h"
#include "topo/search/search_topology.h"

#include <span>

namespace linerate::topo {

// ncclTopoCompute in NCCL's src/graph/search.cc.
class ChannelSearch {
 public:
  ChannelSearch(const SearchTopology& topology, Pattern pattern, const SearchLimits& limits);
  ChannelSet run();

 private:
  bool is_possible() const;
  void limit_types();
  void limit_channels();
  void begin();

  Budget attempt();
  bool is_hopeless() const;
  bool is_done(const Budget& budget) const;
  void find();  // the first pass
  bool relax(const Budget& budget);
  bool may_vary() const;
  bool simplify_tree();
  bool widen_intra();
  bool widen_inter();
  bool cross_nics();
  bool slow_down();

  void duplicate();
  void raise();  // the second pass
  bool ask_for_more();
  void fall_back();  // the simple order

  const SearchTopology& topology_;
  NetChoice choice_;
  int cross_nic_;
  bool begins_same_;  // whether channels that are all the same are tried first
  std::span<const float> speeds_;
  std::size_t speed_ = 0;  // index of the candidate's
  int nearest_intra_ = 0, farthest_intra_ = 0, nearest_inter_ = 0, farthest_inter_ = 0;
  long long budget_ = 0;  // of all attempts
  CandidateGraph candidate_, best_;
};

// Several searches may share a topology. REQUIRES: limits.multi_node is the topology's.
ChannelSet search_channels(const SearchTopology& topology, Pattern pattern,
                           const SearchLimits& limits);

}  // namespace linerate::topo
