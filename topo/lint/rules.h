// The rules of lint(), and what they look at: GPUs and ports with their places and names.
#pragma once

#include "topo/lint/lint.h"
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
std::vector<PortAt> used_ports_of(const System& system);  // those that NCCL takes

// Of one model.
bool are_alike(const GpuAt& a, const GpuAt& b);
bool are_alike(const PortAt& a, const PortAt& b);

// Whether a GPU stands below the same switch as the port.
bool is_beside_gpu(const PortAt& port, const std::vector<GpuAt>& gpus);

// Whether the description is a provider's topology file: nobody's GPUs, ports and links were
// looked at, as the library finds out on the machine what the file leaves out.
bool is_made_by_hand(const System& system);

// "GPU 3 at 0000:18:00.0", "mlx5_2 at 0000:5e:00.0", "the PCI switch at 0000:15:00.0"
std::string name_of(const PciDevice& device);
// "GPU 0 at 0000:18:00.0 and 7 more": of that many devices the first.
std::string one_of(std::size_t devices, const PciDevice& first);
// "mlx5_2", "mlx4_0 port 2"
std::string name_of(const Net& net);

// "32.0 GT/s PCIe x16", "unknown speed x8"
std::string link_text(const PciLink& link);

// What the page of the rule shows.
std::string example_of(const LintRule& rule);

// The rules: a function each, those about one kind of link or port in one file, listed in lint.cc.

std::vector<Finding> missing_gpu(const System& system);
std::vector<Finding> degraded_link(const System& system);
std::vector<Finding> slow_gpu_link(const System& system);
std::vector<Finding> narrow_nic(const System& system);
std::vector<Finding> unknown_link_speed(const System& system);
std::vector<Finding> slow_uplink(const System& system);
std::vector<Finding> no_nvlink(const System& system);
std::vector<Finding> fewer_nvlinks(const System& system);
std::vector<Finding> gpudirect_off(const System& system);
std::vector<Finding> far_nic(const System& system);
std::vector<Finding> hidden_bus(const System& system);
std::vector<Finding> unknown_memory_node(const System& system);
std::vector<Finding> inactive_port(const System& system);
std::vector<Finding> slower_port(const System& system);
std::vector<Finding> unknown_port_speed(const System& system);
std::vector<Finding> slow_network(const System& system);

}  // namespace linerate::topo::rules
