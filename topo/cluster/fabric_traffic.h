// What a scheme of NCCL puts on the switches of a cluster: its trees over nodes, the rails that its
// channels use, and the bytes on each leaf and the spine.
#pragma once

#include "topo/cluster/cluster.h"
#include "topo/graph/graph.h"
#include "topo/model/constants.h"
#include "topo/model/p2p_model.h"
#include "topo/search/channels.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linerate::topo {

// The two trees that NCCL lays over the nodes of a job, each for half of a call's bytes.

struct TreePlace {
  int parent = -1;            // node; -1: this one is the root
  bool second_child = false;  // of its parent
};

// In tree 0 or 1, as src/graph/trees.cc of NCCL has them: tree 0 is binary and balanced, tree 1
// the same for the nodes counted from the other end or, of an odd number, one further.
// REQUIRES: 0 <= node < nnodes.
TreePlace place_in_tree(int tree, int node, int nnodes);

// Which rails of the network a node's channels use.

// Of one channel: where it comes in from other nodes, and where it goes out.
struct ChannelRails {
  int in = 0, out = 0;
};

struct NodeRails {
  std::array<std::vector<ChannelRails>, kAlgorithms> channels{};  // by Algorithm
  // Trees: the first child is reached where channels go out, all else where they come in.
  bool first_child_is_out = false;
  bool pairs_rings = false;  // every second node takes rings in pairs the other way round
};

// By port, a node of the graph: a host's k-th is on rail k mod rails.
std::map<int, int> rails_of_ports(const Graph& graph, int rails);

// Of the ports that they use. Channels that NCCL found within the node alone are on rail 0.
NodeRails rails_of(const Graph& graph, const NodeChannels& found, int rails);

// GB/s of all NIC ports on each rail.
std::vector<double> gbps_by_rail(const Graph& graph, int rails);

// The nodes of a job in the order of their ranks; the n-th node is the cluster's n-th. Points into
// what its maker keeps.
struct FabricJob {
  const Cluster* cluster = nullptr;
  std::vector<const NodeRails*> nodes{};
  int nranks = 1;
  std::array<int, kAlgorithms> nchannels{};  // of the job, which may be fewer than a node's

  int nnodes() const { return static_cast<int>(nodes.size()); }
};

// Bytes as shares of the call's (nccl-tests': of the larger buffer). A leaf is the switch of one
// rail of a rack, `rack * rails + rail`.
struct FabricTraffic {
  std::vector<double> up{}, down{};  // by leaf: towards the spine, and from it
  double spine = 0;                  // of all racks together, one way
  int crossings = 0;  // messages that pass the spine on the longest way, each waiting for the last
};

// The messages of a call, as NCCL lays its channels over nodes (src/graph/connect.cc and trees.cc).
// A message stays within a leaf where both ends are on one rail of one rack; else it goes up from
// its own leaf, through the spine, and down to the other's. Of a call of 1 byte, on c channels that
// share it out evenly, n ranks, N nodes:
//   Ring       each channel sends from node k to node k + 1: the collective's bus factor / c.
//              Longest way: all hops of a round that cross, for all_reduce of two rounds, and no
//              more than N - 1 hops a round.
//   Tree, NVLSTree  two trees of half the bytes: 1 / (2 c) up each edge and as much down; the
//              longest way is to the root and back. NVLSTree: a channel for each head.
//   PAT        one GPU a node: to the node at distance d = 1, 2, 4, ... the parts of as many ranks
//              as there are numbers below n whose lowest bit is d, 1 / n / c each; one message a
//              distance (Jeaugey 2025, arXiv 2506.20252; nodes farther away get fewer parts).
// Protocols put flags between the data: that is not counted here.
FabricTraffic traffic_of(const FabricJob& job, Function function, Algorithm algorithm);

// GB/s one way, by leaf as in FabricTraffic.
struct FabricLinks {
  std::vector<double> leaf_gbps{};  // up, and as much down
  double spine_gbps = 0;            // of all leaves together
};

// A leaf's uplink has the bandwidth of the NIC ports below it over the rack's oversubscription;
// where fewer nodes stand in a rack than it has places for, the leaf is as large as if it were
// full. The spine passes what all uplinks have over its own oversubscription. Links are full
// duplex, traffic is spread evenly over them, and nobody else is on the network.
// `gbps_of_groups`: of a node of each group, by rail.
FabricLinks links_of(const Cluster& cluster, std::span<const std::vector<double>> gbps_of_groups);

// One scheme on a cluster.
struct FabricLoad {
  double us_per_byte = 0;  // of the call, at the link that needs longest; 0: none is used
  std::string link{};      // "rack 0 uplink", "rack 3 rail 2 downlink", "spine"
  double crossing_us = 0;  // latency of switches on the longest way, in all its messages
};

// The narrowest link: its share of the bytes over its bandwidth. A message that passes the spine
// waits for two leaves and the spine; one that does not adds nothing, because the latencies that
// NVIDIA measured for NCCL's model were those of a network with a switch. NICs are left to NCCL's
// model, which knows their speeds: in one rack with one rail nothing changes.
FabricLoad narrowest(const FabricTraffic& traffic, const FabricLinks& links, const Fabric& fabric);

// Bytes on the wire for each byte of data: LL sends a flag with every 4, LL128 with every 120.
double wire_bytes_per_byte(Protocol protocol);

// Of collectives made of sends: a step on the first nodes of a cluster, as shares of the call's
// bytes. A send stays within a leaf where it leaves its node on the rail on which it arrives in the
// same rack; where it is spread over several NICs, as much of it as can. The n-th node is the
// cluster's n-th.
FabricTraffic traffic_of(const Cluster& cluster, const P2pModel& model, const P2pStep& step);

// The model's costs, of each step those of the narrowest link where that needs longer than the
// node's own, and the latency of switches. REQUIRES: the first model.ranks().nnodes nodes of the
// cluster are alike.
std::optional<P2pCosts> costs_on(const Cluster& cluster, const FabricLinks& links,
                                 const P2pModel& model, const Collective& what);

}  // namespace linerate::topo
