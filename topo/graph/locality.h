// Which devices are near which: how NCCL deals out NICs among GPUs.
#pragma once

#include "topo/graph/paths.h"

#include <vector>

namespace linerate::topo {

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
