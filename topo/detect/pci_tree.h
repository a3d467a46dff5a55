// From a flat list of the devices on the bus to the tree that NCCL makes of it.
#pragma once

#include "topo/system/system.h"

#include <string>
#include <vector>

namespace linerate::topo {

// A device or bridge as its source tells it.
struct FoundPci {
  PciDevice device{};          // without children
  std::vector<BusId> above{};  // bridges on the way to the processor, the nearest first
  int numa = -1;               // memory node; -1: not known
};

// Whether the class and vendor are those of a GPU that computes; a server's display chip is none.
bool is_gpu(const PciDevice& device);

// Puts GPUs and NICs (devices with `gpu` or `nets`), and the switches above them, below their
// processors, in the order of bus ids. As NCCL does (src/graph/xml.cc), every second bridge stands
// for a switch: its upstream port; root ports and downstream ports are left out. Devices of no
// memory node come below the only one, or below one of their own, number -1, where there are
// several.
void hang(std::vector<FoundPci> found, System& system);

}  // namespace linerate::topo
