// A system as a communicator of some of its GPUs sees it, and which such graphs are isomorphic.
#pragma once

#include "topo/graph/graph.h"
#include "topo/graph/paths.h"

#include <span>
#include <string>
#include <vector>

namespace linerate::topo {

// The graph's system without all GPUs but `gpus`, nodes of the graph. NCCL makes its topology of
// the GPUs that have a rank, and of all NICs (src/graph/topo.cc, ncclTopoAddPci). Devices keep
// their numbers.
System only_gpus(const Graph& graph, std::span<const int> gpus);

struct CanonicalForm {
  std::string key{};         // equal keys: the nodes at equal places of `order` correspond
  std::vector<int> order{};  // all nodes of the graph
};

// What NCCL's search looks at: links, speeds, processors, ports that are one, the order of the
// GPUs, and the ports that it deals out to each. Left out are names, bus ids and the order of
// ports, by which NCCL chooses between equal ways. Some graphs that are alike have different keys.
CanonicalForm canonical_form(const Graph& graph, const Paths& paths);

}  // namespace linerate::topo
