// What rules look at: GPUs and ports with their places, and how a person calls them.
#pragma once

#include "topo/system/system.h"

#include <cstddef>
#include <string>
#include <vector>

namespace linerate::topo::rules {

struct GpuAt {
  const Cpu* cpu = nullptr;
  const PciDevice* top = nullptr;     // the switch below the processor, or the GPU itself
  const PciDevice* device = nullptr;  // with `gpu`
};

struct PortAt {
  const Cpu* cpu = nullptr;
  const PciDevice* top = nullptr;     // as of a GPU; null: its place is not known
  const PciDevice* device = nullptr;  // null: its place is not known
  const Net* net = nullptr;
};

// In the order of the system, which must outlive them.
std::vector<GpuAt> gpus_of(const System& system);
std::vector<PortAt> ports_of(const System& system);

// "GPU 3 at 0000:18:00.0", "mlx5_2 at 0000:5e:00.0", "the PCI switch at 0000:15:00.0"
std::string name_of(const PciDevice& device);
// "GPU 0 at 0000:18:00.0 and 7 more": of that many devices the first.
std::string one_of(std::size_t devices, const PciDevice& first);
// "mlx5_2", "mlx4_0 port 2"
std::string name_of(const Net& net);

// "32.0 GT/s PCIe x16", "unknown speed x8"
std::string words_of(const PciLink& link);

int count_nvlinks(const Gpu& gpu);

}  // namespace linerate::topo::rules
