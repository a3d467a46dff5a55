// What ranks send each other in point-to-point collectives: those that NCCL makes of ncclSend and
// ncclRecv.
#pragma once

#include "collectives/collective.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace linerate::topo {

// Ranks run through the GPUs of a node, then on to the next node.
struct RankGrid {
  int gpus = 1;  // of each node
  int nnodes = 1;

  int nranks() const { return gpus * nnodes; }
};

// Which node gets what leaves a node.
enum class NodePeers {
  all,         // all others, as much each
  first,       // the first node, from all others
  from_first,  // all others, from the first node
  next,        // the one behind it; behind the last is the first
  partner      // the one whose number differs in one bit
};

// What the busiest node moves in one step, for each byte of the row: to a GPU of the same node, to
// the GPUs of a number on all other nodes together, and from those.
class P2pStep {
 public:
  explicit P2pStep(int gpus, NodePeers peers = NodePeers::all, int apart = 0);

  NodePeers peers() const { return peers_; }
  int apart() const { return apart_; }  // of partners: their numbers' difference

  double& inside(int from, int to) { return inside_[at(from, to)]; }
  double& out(int from, int peer) { return out_[at(from, peer)]; }
  double& in(int peer, int to) { return in_[at(peer, to)]; }
  double inside(int from, int to) const { return inside_[at(from, to)]; }
  double out(int from, int peer) const { return out_[at(from, peer)]; }
  double in(int peer, int to) const { return in_[at(peer, to)]; }
  bool leaves_node() const;

 private:
  std::size_t at(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(gpus_) +
           static_cast<std::size_t>(to);
  }

  int gpus_;
  NodePeers peers_;
  int apart_;
  std::vector<double> inside_, out_, in_;
};

// all_to_all, gather, scatter, sendrecv and hypercube. The others are either no sends or, as
// all_to_all_v, what their traffic says (all_to_all_v_steps.h).
bool is_p2p_collective(const Collective& what);
std::vector<std::string_view> p2p_collectives();

// The steps one after the other; the root is rank 0. Nothing for other collectives, and where so
// many ranks cannot do it.
std::optional<std::vector<P2pStep>> p2p_steps(const Collective& what, const RankGrid& ranks);

// The one step of each node, in bytes, not in shares of the row: nodes of a matrix differ. Of
// weighted traffic it is the first node's alone, as all move what it moves, turned round the ranks.
// What a rank keeps for itself is left out. REQUIRES: sizing.traffic, of ranks.nranks() ranks.
std::vector<P2pStep> all_to_all_v_steps(const Sizing& sizing, const RankGrid& ranks);

// Whether a rank keeps more than any rank sends to the others or gets from them: its copy, which
// crosses no link, may take longer than all links do. REQUIRES: sizing.traffic.
bool keeps_most(const Sizing& sizing);

}  // namespace linerate::topo
