// Which links a send between two GPUs takes.
#pragma once

#include "topo/graph/paths.h"

#include <vector>

namespace linerate::topo {

// One of the ways that a send is spread over.
struct SendRoute {
  double share = 1;  // of its bytes
  std::vector<Hop> hops{};
};

// As NCCL deals out NICs to sends (src/graph/search.cc, ncclTopoGetNetDev without a graph): the
// sender takes the NICs of its own GPU with the number of the receiver's, through that GPU where
// NVLinks reach it and it is near them (PXN), else its own; the receiver takes its own. Several
// NICs near a GPU take equal parts. GPUs are counted as in graph.of(NodeKind::gpu).
class SendRoutes {
 public:
  explicit SendRoutes(const Graph& graph);

  SendRoute inside(int from, int to) const;
  PathType type_inside(int from, int to) const;
  // To a GPU of number `peer` on another node, up to the port; none where no port is reached.
  std::vector<SendRoute> out(int from, int peer) const;
  std::vector<SendRoute> in(int to) const;

 private:
  int gpu(int index) const { return graph_.of(NodeKind::gpu)[static_cast<std::size_t>(index)]; }
  int counterpart(int from, int peer) const;
  bool passes_on(int gpu, int carrier, int port) const;
  void add(std::vector<Hop>& hops, int from, int to) const;

  Graph graph_;
  Paths paths_;
  std::vector<std::vector<int>> ports_{};  // of each GPU's own, by index
  std::vector<int> carriers_{};            // by node: the GPU that uses a port first
};

}  // namespace linerate::topo
