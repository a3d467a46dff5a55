// Visiting every device of a system.
#pragma once

#include "topo/system/system.h"

namespace linerate::topo {

// Calls visit(device, depth) for `device` and all below it, parents first.
template <typename Device, typename Visit>
void walk(Device& device, const Visit& visit, int depth = 0) {
  visit(device, depth);
  for (auto& child : device.children) walk(child, visit, depth + 1);
}

// Calls visit(cpu, device, depth) for every PCI device, in the system's order.
template <typename AnySystem, typename Visit>
void walk_devices(AnySystem& system, const Visit& visit) {
  for (auto& cpu : system.cpus)
    for (auto& device : cpu.devices)
      walk(device, [&](auto& found, int depth) { visit(cpu, found, depth); });
}

}  // namespace linerate::topo
