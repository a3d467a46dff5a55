// Which graphs are alike but for names and numbers, so that one search serves them all.
#pragma once

#include "topo/graph/paths.h"

#include <string>
#include <vector>

namespace linerate::topo {

struct Likeness {
  std::string key{};         // equal keys: the nodes at equal places of `order` correspond
  std::vector<int> order{};  // all nodes of the graph
};

// What NCCL's search looks at: links, speeds, processors, ports that are one, the order of the
// GPUs, and the ports that it deals out to each. Left out are names, bus ids and the order of
// ports, by which NCCL chooses between equal ways. Some graphs that are alike have different keys.
Likeness likeness_of(const Graph& graph, const Paths& paths);

}  // namespace linerate::topo
