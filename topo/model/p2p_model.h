// Point-to-point collectives, those that NCCL makes of ncclSend and ncclRecv: what ranks send each
// other, and a bound on the time by the link that needs longest for it.
#pragma once

#include "collectives/collective.h"
#include "topo/graph/paths.h"
#include "topo/model/constants.h"

#include <cstddef>
#include <optional>
#include <string>
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
// all_to_all_v, what their traffic says (all_to_all_v_steps).
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

// One of the ways that a send is spread over.
struct P2pRoute {
  double share = 1;  // of its bytes
  std::vector<Hop> hops{};
};

struct P2pBound {
  double time_us = 0;
  double latency_us = 0;  // of it
  double algbw_gbps = 0, busbw_gbps = 0;
  std::string bound_by{};  // "NIC mlx5_0", "NVLinks of GPU0"; "latency" where that takes longer
};

// What one step of a collective takes.
struct P2pCost {
  double latency_us = 0;
  double us_per_byte = 0;  // of the row, on the busiest link
  std::string bound_by{};  // that link
  int peers = 1;           // that the busiest rank sends to or gets from
  double message = 1;      // its largest message to one of them, as a part of the row
  double moved = 1;        // all that it sends or gets, as a part of the row
  int remote_peers = 0;    // on other nodes, of the rank that sends or gets most from there
  double crossing = 0;     // what that rank sends there, or gets, as a part of the row
};

// Of one collective on so many ranks: its steps, one after the other.
struct P2pCosts {
  const Collective* what = nullptr;
  int nranks = 2;
  std::vector<P2pCost> steps{};

  // `bytes` as nccl-tests counts: the larger of the send and the receive buffer. Nothing where
  // there are none.
  std::optional<P2pBound> at(std::size_t bytes) const;
};

// NCCL has no model of sends: this is what their bytes take on the busiest link, at the bandwidths
// that NCCL counts, and one step of its own model, base and hardware latency of Ring/LL, for each
// step of the collective. Real runs stay below it: sends do not share links evenly, and each rank
// starts many. Public runs: 370 GB/s of NVLink on an H100 (NVIDIA/nccl-tests issue 212), 48 to 49
// of a 400 Gb/s NIC (issue 267).
class P2pModel {
 public:
  // Nodes that are all alike, with a rank on each GPU. Milliseconds.
  P2pModel(const Graph& graph, int nnodes);

  const Graph& graph() const { return graph_; }
  const RankGrid& ranks() const { return ranks_; }

  // The routes between nodes, as NCCL deals out NICs to sends (src/graph/search.cc,
  // ncclTopoGetNetDev without a graph): the sender takes the NICs of its own GPU with the number of
  // the receiver's, through that GPU where NVLinks reach it and it is near them (PXN), else its
  // own; the receiver takes its own. Several NICs near a GPU take equal parts. GPUs are counted as
  // in graph.of(NodeKind::gpu). None where no port is reached.
  std::vector<P2pRoute> out(int from, int peer) const;  // to a GPU of number `peer`, up to the port
  std::vector<P2pRoute> in(int to) const;

  // Slow: once for all sizes. Nothing for other collectives, and where a rank is out of another
  // one's reach.
  std::optional<P2pCosts> costs(const Collective& what) const;
  // Of one size.
  std::optional<P2pBound> bound(const Collective& what, std::size_t bytes) const;
  // Of one size of all_to_all_v: what the node takes that is busiest. Nothing where copies may take
  // longer than that (keeps_most()). REQUIRES: sizing.traffic, of ranks().nranks() ranks.
  std::optional<P2pBound> bound_of_traffic(const Collective& what, const Sizing& sizing) const;

 private:
  std::optional<P2pCost> cost(const P2pStep& step) const;
  Hardware slowest_hardware(const P2pStep& step) const;
  std::string hop_text(const Hop& hop) const;
  int gpu(int index) const { return graph_.of(NodeKind::gpu)[static_cast<std::size_t>(index)]; }
  int counterpart(int from, int peer) const;
  bool passes_on(int gpu, int carrier, int port) const;
  void add(std::vector<Hop>& hops, int from, int to) const;

  Graph graph_;
  RankGrid ranks_;
  Paths paths_;
  std::vector<std::vector<int>> ports_{};  // of each GPU's own, by index
  std::vector<int> carriers_{};            // by node: the GPU that uses a port first
};

}  // namespace linerate::topo
