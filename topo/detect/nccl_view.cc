// See nccl_view.h.
#include "topo/detect/nccl_view.h"

#include "topo/system/link_state.h"
#include "topo/system/port_use.h"
#include "topo/system/walk.h"

#include <algorithm>
#include <utility>

namespace linerate::topo {
namespace {

// Calls visit(nets) for every list of ports.
template <typename Visit>
void for_each_ports(System& system, const Visit& visit) {
  for (auto& cpu : system.cpus) visit(cpu.nets);
  walk_devices(system, [&](Cpu&, PciDevice& device, int) { visit(device.nets); });
}

void keep_used_ports(System& system) {
  const PortUse use(system);
  for_each_ports(system, [&](std::vector<Net>& nets) {
    std::erase_if(nets, [&](const Net& net) { return !use.takes(net); });
  });
}

// A virtio device is none of the PCI bus to NCCL: its port hangs at the first processor.
void move_virtio_ports(System& system) {
  constexpr std::uint32_t kVirtio = 0x1af4;
  std::vector<Net> moved;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (device.vendor != kVirtio) return;
    for (auto& net : device.nets) moved.push_back(std::move(net));
    device.nets.clear();
  });
  if (system.cpus.empty()) return;
  auto& nets = system.cpus.front().nets;
  std::ranges::move(moved, std::back_inserter(nets));
}

void count_link(PciDevice& device) {
  const auto& most = device.max_link;
  if (!device.gpu) {
    if (!most.speed.empty()) device.link.speed = most.speed;
    if (most.width > 0) device.link.width = most.width;
  } else if (is_idle(device)) {
    device.link.speed = most.speed;
  }
}

}  // namespace

System nccl_view(System system) {
  keep_used_ports(system);
  move_virtio_ports(system);
  walk_devices(system, [](Cpu&, PciDevice& device, int) { count_link(device); });
  return system;
}

}  // namespace linerate::topo
