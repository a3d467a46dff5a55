// The paths that NCCL takes between devices, the narrowest link of each, and how NCCL deals out
// NICs among GPUs by them.
#pragma once

#include "topo/graph/graph.h"
#include "topo/graph/rules.h"

#include <string>
#include <vector>

namespace linerate::topo {

struct Hop {
  int from = 0, to = 0;  // nodes
  LinkKind kind = LinkKind::loc;
  double gbps = 0;

  bool operator==(const Hop&) const = default;
};

struct Path {
  PathType type = PathType::dis;
  double gbps = 0;  // of its narrowest hop
  std::vector<Hop> hops{};

  bool operator==(const Path&) const = default;
};

// Paths from every node to every other, as the graph's version of NCCL finds them (src/graph/
// paths.cc), with what it sends another way: GPUs too far apart for direct access and NICs that a
// GPU cannot read go through the processor, NICs near another GPU through that one (PXN). Whether a
// GPU and a NIC read each other's memory is what the system says (`gdr`); where it says so of none
// and names no ranks either, nobody has asked the drivers, and all of them are taken to.
// Milliseconds for a node of 8 GPUs.
class Paths {
 public:
  explicit Paths(const Graph& graph);

  const Path& between(int from, int to) const {
    return table_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  // The hop that bounds the path, the first of several; null where it has none.
  static const Hop* narrowest(const Path& path);

 private:
  friend class Rerouter;
  std::vector<std::vector<Path>> table_;  // [from][to]
};

// The paths from every node to `base`, by node. Of two ways the better is kept: up to 2.30.4 the
// one with more GB/s in fewer hops, later the one of nearer type, then more GB/s, then fewer hops.
std::vector<Path> paths_to(const Graph& graph, const GraphRules& rules, int base);

// Why a path is what it is: the path hop by hop with the bandwidth of each, what makes its type,
// and its narrowest link: lines for a terminal, each ended.
std::string explain(const Graph& graph, const Paths& paths, int from, int to);

// The nodes of `kind` that `from` reaches with most GB/s, and of those the nearest by type; none
// where it reaches none.
std::vector<int> nearest(const Graph& graph, const Paths& paths, int from, NodeKind kind);

// The processor that a GPU's staged traffic goes through; -1: none.
int local_cpu(const Graph& graph, const Paths& paths, int gpu);

// The port that a GPU uses for a channel: its nearest ones in turn, where several GPUs share them
// each begins at another. -1: none.
int local_net(const Graph& graph, const Paths& paths, int gpu, int channel);

// All ports that a GPU uses, each once, in the order of its channels.
std::vector<int> local_nets(const Graph& graph, const Paths& paths, int gpu);

// The GPU that uses a port first; -1: none of those near it does.
int local_gpu(const Graph& graph, const Paths& paths, int net);

}  // namespace linerate::topo
