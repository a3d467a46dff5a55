// A system as a communicator of some of its GPUs sees it.
#pragma once

#include "topo/graph/graph.h"

#include <span>

namespace linerate::topo {

// The graph's system without all GPUs but `gpus`, nodes of the graph. NCCL makes its topology of
// the GPUs that have a rank, and of all NICs (src/graph/topo.cc, ncclTopoAddPci). Devices keep
// their numbers.
System only_gpus(const Graph& graph, std::span<const int> gpus);

}  // namespace linerate::topo
