// A node as NCCL's topology file describes it: processors, the PCI tree under each, GPUs and NICs.
//
// topo/ answers what a machine is made of and what NCCL makes of it. Each folder is one step:
//   system/   the description: System, bus ids, link speeds, and which ports NCCL uses
//   detect/   a System from this machine or a saved one: sysfs, hwloc, NVIDIA's driver
//   read/     a System from NCCL's topology XML
//   graph/    System -> Graph (devices and links) -> Paths (what NCCL sends between two devices)
//   search/   Graph -> channels: NCCL's rings, trees and NVLS heads
//   model/    channels -> NCCL's cost model: algorithm, protocol and time of a call
//   cluster/  many nodes and their switches; the built-in platforms
//   place/    which GPU, cores and NIC each rank gets, and the order of a mesh
//   lint/     what makes a system slower than it could be
//   show/     views: tree, matrix, dot, JSON, NCCL's XML, predictions
// Every source yields a System, and all else follows from it.
#pragma once

#include "topo/system/pci_ids.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// GPU generations by their first compute capability, as Gpu::sm counts it.
inline constexpr int kVoltaSm = 70, kAmpereSm = 80, kHopperSm = 90, kBlackwellSm = 100;

// A PCI link as sysfs words it; empty and 0: not known.
struct PciLink {
  std::string speed{};  // "16.0 GT/s PCIe"
  int width = 0;        // lanes

  bool operator==(const PciLink&) const = default;
};

// NVLinks of a GPU to one target. NVIDIA's links have no target of their own behind an NVSwitch:
// each switch is one.
struct NvLink {
  std::string target{};        // bus id of the GPU, switch or bridge; as the source says it
  int count = 0;               // active links
  std::uint32_t tclass = 0;    // PCI class of the target: 0x068000 NVSwitch, 0x0302.. GPU
  std::uint32_t capacity = 0;  // links that this GPU model has; 0: not known

  bool operator==(const NvLink&) const = default;
};

// Links of a GPU to the processor in its package (Grace).
struct C2c {
  double link_mbps = 0;  // MB/s of one link
  int count = 0;

  bool operator==(const C2c&) const = default;
};

struct Gpu {
  int dev = -1;   // NVML's number; -1: not known
  int sm = 0;     // compute capability, 90 for 9.0; 0: not known
  int rank = -1;  // in the job that wrote the file; -1: none
  bool gdr = false;
  std::string model{};  // "NVIDIA H100 80GB HBM3"; empty: not known
  std::string gcn{};    // AMD's architecture, "gfx90a", in RCCL's files
  std::vector<NvLink> nvlinks{};
  std::optional<C2c> c2c{};

  bool operator==(const Gpu&) const = default;
};

// One port of a NIC.
struct Net {
  std::string name{};     // "mlx5_0", "eth0"
  int dev = -1;           // NCCL's number; -1: not known
  double speed_mbps = 0;  // Mb/s; 0: not known
  int port = 1;
  double latency_us = 0;
  std::uint64_t guid = 0;
  int maxconn = 0;
  bool gdr = false;
  bool coll = false;         // offers collectives (SHARP)
  std::string link_layer{};  // "InfiniBand", "Ethernet"; empty: not known
  std::string state{};       // "ACTIVE", "DOWN (Polling)"; empty: not known
  std::string netdev{};      // "ibp24s0": the interface of an InfiniBand device; empty: none

  bool operator==(const Net&) const = default;
};

struct PciDevice {
  BusId bus_id{};
  std::uint32_t class_code = 0;  // 0x060400; 0: not known
  std::uint32_t vendor = 0, device = 0, subsystem_vendor = 0, subsystem_device = 0;
  PciLink link{};      // as trained: the narrower of the device's and its upstream port's
  PciLink max_link{};  // what both could do
  std::string name{};  // of the model; empty: not known
  std::vector<BusId> pci_peers{};  // switches linked to this one (<pcilink>)
  std::vector<PciDevice> children{};
  std::optional<Gpu> gpu{};
  std::vector<Net> nets{};  // ports, where it is a NIC

  bool operator==(const PciDevice&) const = default;
};

enum class CpuArch : std::uint8_t { unknown, x86_64, arm64, ppc64 };
// By CpuArch, as NCCL's files say it.
inline constexpr std::array<std::string_view, 4> kArchNames{"", "x86_64", "arm64", "ppc64"};

struct Cpu {
  int numa = 0;
  std::string affinity{};  // "00000000,0000ffff": hexadecimal words, the highest first
  CpuArch arch = CpuArch::unknown;
  std::string vendor{};  // "GenuineIntel", "AuthenticAMD", "  Shanghai  "; empty: not known
  int family = 0, model = 0;
  std::uint64_t host_hash = 0;  // of the host, where a file holds several (MNNVL); 0: one host
  int package = -1;             // socket; -1: not known
  std::string name{};           // "Intel(R) Xeon(R) Platinum 8480C"
  int cores = 0, threads = 0;   // physical cores, hardware threads of them; 0: not known
  std::uint64_t l3_bytes = 0;   // of its last-level caches together; 0: not known
  // The hardware threads of each physical core, in the order of the cores; empty: not known.
  std::vector<std::vector<int>> core_threads{};
  std::vector<PciDevice> devices{};
  std::vector<Net> nets{};  // NICs whose place on the bus nobody tells

  bool operator==(const Cpu&) const = default;
};

struct System {
  std::string name{};    // of the node or platform
  std::string source{};  // "this machine", "file dgx.xml", "built-in dgx-h100"
  std::vector<Cpu> cpus{};
  // What the source could not tell, each a sentence.
  std::vector<std::string> unseen{};
  // NCCL itself took these ports, of a file that it wrote or reads: there are no others.
  bool has_nccl_ports = false;
  std::string driver{};  // NVIDIA's, "580.95.05"; empty: none or not known
  // Hardware threads that this process may use, as Cpu::affinity; empty: all, or not known.
  std::string usable{};

  bool operator==(const System&) const = default;
};

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

// Calls visit(nets) for every list of NIC ports: those whose place nobody tells, then those of
// devices.
template <typename AnySystem, typename Visit>
void walk_ports(AnySystem& system, const Visit& visit) {
  for (auto& cpu : system.cpus) visit(cpu.nets);
  walk_devices(system, [&](auto&, auto& device, int) { visit(device.nets); });
}

}  // namespace linerate::topo
