// What joins GPUs and processors beside the PCI tree, as lines of a picture.
#pragma once

#include "topo/show/svg_parts.h"
#include "topo/show/svg_wires.h"

#include <vector>

namespace linerate::topo {

constexpr double kBusHeight = 40;  // above the processors, where there are several

// A line above a host's processors for the links between them.
void draw_processor_bus(Sketch& sketch, const Graph& graph, const std::vector<Part>& cpus);

// NVLinks below the GPUs: to each other as arcs, to NVSwitches as lines to a bar. `above` is what
// all parts take. Yields where the drawing ends.
double draw_nvlinks(Sketch& sketch, const Graph& graph, const std::vector<const Part*>& gpus,
                    const Box& above);

}  // namespace linerate::topo
