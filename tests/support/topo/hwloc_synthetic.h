// Machines that hwloc makes up.
#pragma once

#include "base/handle.h"

#include <hwloc.h>

#include <string>

namespace linerate::topo {

using SyntheticTopology = Handle<hwloc_topology, hwloc_topology_destroy>;

// Of a description such as "pack:2 numa:1 core:4 pu:2".
inline SyntheticTopology synthetic(const std::string& description) {
  hwloc_topology_t raw = nullptr;
  hwloc_topology_init(&raw);
  SyntheticTopology topology(raw);
  hwloc_topology_set_synthetic(raw, description.c_str());
  hwloc_topology_load(raw);
  return topology;
}

}  // namespace linerate::topo
