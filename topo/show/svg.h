// A system as a picture.
#pragma once

#include "topo/graph/graph.h"

#include <string>

namespace linerate::topo {

// One self-contained SVG document: a box for each NUMA node, its switches, GPUs and NICs below it,
// NVSwitches as a bar; links as thick as they are fast, with their GB/s as NCCL counts them, and
// degraded ones dashed in red. Hosts that look alike are drawn once. It follows the viewer's
// preference for a light or dark ground.
std::string svg_text(const Graph& graph);

}  // namespace linerate::topo
