// The NVLinks of GPUs, counted.
#pragma once

#include "topo/graph/graph.h"

#include <string>
#include <vector>

namespace linerate::topo {

// NVLinks, or xGMI links, of a GPU to one node: another GPU, the NVSwitches, a POWER processor.
struct NvLinks {
  int to = 0;  // node
  int count = 0;
  double gbps = 0;  // all together, in one direction
};

// What a GPU's links lead to, in the order of nodes. REQUIRES: `gpu` is a GPU's node.
std::vector<NvLinks> nvlinks_of(const Graph& graph, int gpu);

// Links between two GPUs, through switches as many as the one with fewer has; 0: none, or those
// that there are lead over other GPUs.
int nvlinks_between(const Graph& graph, int a, int b);

// NVSwitch chips that a GPU's links lead to; 0: none, or out of the host's sight.
int nvswitches_of(const Gpu& gpu);

// Active links, and how many the model has: 0 where nobody tells.
int active_nvlinks(const Gpu& gpu);
int nvlink_capacity(const Gpu& gpu);

std::string_view nvlink_word(const Gpu& gpu);  // "NVLink", of AMD's "xGMI link"

}  // namespace linerate::topo
