// The picture of one host.
#pragma once

#include "topo/show/svg_wires.h"

namespace linerate::topo {

// Processors side by side, what is below each, and what joins them and their GPUs, with the upper
// left corner at (x, y). Yields the place that it takes.
Box draw_host(Sketch& sketch, const Graph& graph, int host, const TextPlace& corner);

}  // namespace linerate::topo
