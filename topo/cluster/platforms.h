// Nodes that are known without looking at one, by a few numbers: regular ones, and the platforms
// that a cluster file or --platform names.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

#include <optional>
#include <span>
#include <string_view>

namespace linerate::topo {

// One NUMA node's processor.
struct CpuShape {
  CpuArch arch = CpuArch::x86_64;
  std::string_view vendor = "GenuineIntel";  // empty: the architecture has none
  int family = 6, model = 143;
  std::string_view name = "Intel(R) Xeon(R) Platinum 8480C";
  int threads = 112;  // hardware threads of a NUMA node
};

struct GpuShape {
  std::string_view model = "NVIDIA H100 80GB HBM3";
  std::uint32_t device = 0x2330;  // PCI device id
  int sm = 90;
  int pcie = 5;      // generation of its link, 16 lanes
  int nvlinks = 18;  // of each GPU
  // Chips that the links are spread over. 1: they are out of the host's sight, as in virtual
  // machines and racks; 0: the links go to the other GPUs of the node, as many to each.
  int nvswitches = 4;
  std::optional<C2c> c2c{};  // to the processor in the package
  int joined = 0;            // GPUs that bridges join with each other, in order; 0: all of the node
};

struct NicShape {
  std::string_view prefix = "mlx5_";  // of the names: mlx5_0, mlx5_1, ...
  std::uint32_t class_code = 0x020700, vendor = 0x15b3, device = 0x1021;
  int pcie = 5;
  double speed_mbps = 400000;
  double latency_us = 0;  // that the network plugin tells NCCL
  std::string_view link_layer = "InfiniBand";
};

// All hosts, NUMA nodes and switches are alike.
struct NodeShape {
  std::string_view name = "dgx-like";
  int hosts = 1;           // that one NVLink domain joins
  int numas = 2;           // of each host
  int switches = 4;        // PCI switches below each NUMA node; 0: devices stand at its root ports
  int levels = 1;          // 2: each device has a switch of its own below the first
  int gpus = 1, nics = 1;  // below each switch, or NUMA node where there are none
  CpuShape cpu{};
  GpuShape gpu{};
  NicShape nic{};
  int uplink = 5;  // generation of PCI Express of the switches' own links, 16 lanes
  std::uint32_t switch_vendor = 0x1000, switch_device = 0xc030;  // Broadcom PEX89000

  int gpus_per_host() const { return numas * (switches > 0 ? switches : 1) * gpus; }
  int nics_per_host() const { return numas * (switches > 0 ? switches : 1) * nics; }
};

// As sysfs words a link of 16 lanes; generations 1 to 6.
PciLink pci_x16(int generation);

// GPUs and NICs are numbered in the order of their bus ids, anew on each host; ranks run through
// all hosts. A shape of several hosts is what NCCL makes of a rack: the processors of all its
// hosts, told apart by host_hash (1, 2, ...), with the same bus ids, names and numbers on each.
// REQUIRES: no negative counts, at least one host and one NUMA node.
System system_of(const NodeShape& shape);

struct Platform : NodeShape {
  std::string_view about;  // "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"
};

// All of them, in the order in which they are listed to people.
std::span<const Platform> platforms();

// The system of one, or of a part of a rack: "gb200-nvl8" are two hosts of gb200-nvl72. With that
// as its name and its source; a sentence with the choices where there is no such platform.
Result<System> built_in_platform(std::string_view name);

}  // namespace linerate::topo
