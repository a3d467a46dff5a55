// Nodes of many shapes, and what NCCL's files tell of a system.
#pragma once

#include "topo/cluster/platforms.h"
#include "topo/system/system.h"

#include <random>

namespace linerate::topo {

// A node like those that exist, another one for each seed; the same one on every machine. At most
// 32 GPUs on one host.
inline NodeShape random_shape(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto between = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  constexpr int kCapabilities[] = {70, 80, 89, 90, 100};
  constexpr double kMegabits[] = {10000, 100000, 200000, 400000, 800000};
  NodeShape shape{.name = "random",
                  .numas = between(1, 4),
                  .switches = between(0, 2),
                  .levels = between(1, 2),
                  .gpus = between(1, 4),
                  .nics = between(0, 2)};
  shape.gpu.sm = kCapabilities[between(0, 4)];
  shape.gpu.pcie = between(3, 6);
  shape.gpu.nvlinks = between(0, 18);
  shape.gpu.nvswitches = between(0, 4);
  shape.nic.speed_mbps = kMegabits[between(0, 4)];
  shape.nic.pcie = between(3, 6);
  shape.uplink = between(3, 6);
  return shape;
}

// The system without what NCCL's files have no words for.
inline System as_nccl_tells(System system) {
  system.source.clear();
  system.has_nccl_ports = true;
  system.unseen.clear();
  for (auto& cpu : system.cpus) {
    cpu.name.clear();
    cpu.package = -1;
  }
  walk_devices(system, [](Cpu&, PciDevice& device, int) {
    device.max_link = {};
    device.name.clear();
    if (device.gpu) {
      device.gpu->model.clear();
      for (auto& link : device.gpu->nvlinks) link.capacity = 0;
    }
    for (auto& net : device.nets) {
      net.link_layer.clear();
      net.state.clear();
      net.netdev.clear();
    }
  });
  return system;
}

}  // namespace linerate::topo
