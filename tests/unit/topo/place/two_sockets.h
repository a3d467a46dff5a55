// A machine without GPUs: two sockets of four cores with two threads each, numbered as Linux does,
// the second threads behind all first ones.
#pragma once

#include "support/topo/hwloc_synthetic.h"
#include "topo/detect/hwloc_system.h"

namespace linerate::topo {

inline System two_sockets() {
  const auto topology =
      synthetic("pack:2 [numa] core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)");
  System system;
  system.cpus = cpus_of_hwloc(topology.get(), system.unseen);
  return system;
}

}  // namespace linerate::topo
