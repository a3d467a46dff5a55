// A system, its graph and its paths as JSON.
#pragma once

#include "topo/graph/paths.h"

#include <string>

namespace linerate::topo {

// Changes when a key changes its meaning; readers skip keys that they do not know.
inline constexpr int kTopologySchema = 1;

// One object, indented, ended by a line feed:
//   kind "topology", schema, name, source, nccl_version
//   cpus    each node (its name in the graph), numa, package, model, arch, vendor, family,
//           model_number, affinity (hexadecimal words) and cores ("0-55,112-167"), devices: the PCI
//           tree with bus_id, class, link and max_link (speed, width, gbps), degraded, gpu, ports,
//           children; ports whose place on the bus nobody tells. A port has speed_gbit_s (Gb/s),
//           gbps, state, link_layer, nccl_takes and more; a gpu dev, sm, model, nvlinks, c2c
//   nodes   of the graph: name, kind (GPU, PCI, NVS, CPU, NIC, NET), host, numa, bus_id
//   links   of the graph, each direction: from, to (names), kind (NVL, C2C, PCI, SYS, ...), gbps
//   paths   between GPUs and NIC ports: from, to, type (NVL, PIX, ...), gbps, nvlinks
//   unseen  sentences
// Bandwidths are GB/s (10^9) of one direction as that version of NCCL counts them. What is not
// known is absent.
std::string json_text(const Graph& graph, const Paths& paths);

}  // namespace linerate::topo
