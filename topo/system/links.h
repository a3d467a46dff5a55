// What NCCL makes of links and NIC ports: the bandwidth that it counts for each, and which ports it
// takes.
#pragma once

#include "topo/system/system.h"
#include "topo/version.h"

#include <array>
#include <string>
#include <string_view>

namespace linerate::topo {

// Within a device, or to one whose way nobody tells (LOC_BW in NCCL's src/graph/topo.h).
inline constexpr double kLocalGbps = 5000;

// A generation of PCI Express: "16.0 GT/s PCIe" in sysfs, and as kernels before 5.7 spelled it.
struct PcieGeneration {
  double gigatransfers;
  int lane;  // 100 Mb/s of a lane after encoding, as NCCL counts it
  std::string_view text, older;
};
// kvDictPciGen in NCCL's src/graph/topo.cc.
inline constexpr std::array<PcieGeneration, 6> kPcieGenerations{
    {{2.5, 15, "2.5 GT/s PCIe", "2.5 GT/s"},
     {5, 30, "5.0 GT/s PCIe", "5 GT/s"},
     {8, 60, "8.0 GT/s PCIe", "8 GT/s"},
     {16, 120, "16.0 GT/s PCIe", "16 GT/s"},
     {32, 240, "32.0 GT/s PCIe", "32 GT/s"},
     {64, 480, "64.0 GT/s PCIe", "64.0 GT/s PCIe"}}};

// Whether NCCL knows the generation that `text` tells, as sysfs words it: "16.0 GT/s PCIe", or
// "16 GT/s" as kernels before 5.7 did. Any other text, "16.0 GT/s" among them, counts as Gen3.
bool knows_pci_speed(std::string_view text);

// GB/s of one direction. A width of 0 counts as 16 lanes, a speed that NCCL does not know as Gen3.
double pci_gbps(const PciLink& link);

// Whether a GPU is AMD's, by its vendor or by what RCCL wrote of it.
bool is_amd_gpu(const PciDevice& device);

// What runs collectives on a system: "RCCL" where it has GPUs of AMD's, else "NCCL".
std::string_view library_of(const System& system);

// AMD's architecture, "gfx90a", of the "gfx90a" or "910" of RCCL's files; empty: none.
std::string_view architecture_of(const Gpu& gpu);

std::string_view nvlink_word(const Gpu& gpu);  // "NVLink", of AMD's "xGMI link"

// Whether NCCL or RCCL wrote the system down: its GPUs have the ranks of a job.
bool has_ranks(const System& system);

// GB/s of one NVLink of `gpu`; of one xGMI link where it is AMD's.
double nvlink_gbps(const Gpu& gpu, const NcclVersion& version);

double c2c_gbps(const C2c& c2c);  // of all links together
double net_gbps(const Net& net);  // of the port; 10 Gb/s where its speed is not known

// GB/s from `cpu` to another one of its host.
double cpu_link_gbps(const Cpu& cpu, const NcclVersion& version);

// x86 of that vendor.
bool is_intel(const Cpu& cpu);
bool is_amd(const Cpu& cpu);
bool is_zhaoxin(const Cpu& cpu);

// Ports of InfiniBand and RoCE devices: where there are any, NCCL uses these alone.
bool is_verbs(const Net& net);

// Whether the port tells a speed that there is.
bool has_speed(const Net& net);

// Whether the port is up; also where its state is not known.
bool is_up(const Net& net);

// GT/s of a link speed as sysfs words it: 16 of "16.0 GT/s PCIe". 0: it says something else.
double gigatransfers_of(std::string_view speed);

// The generation of PCI Express that a text of sysfs tells, whichever way it is worded; 0: none.
int pcie_generation(std::string_view speed);

// Whether a link's speed times its width is less than both of its ends can do. Where either is not
// known, it is not.
bool is_degraded(const PciDevice& device);

int active_nvlinks(const Gpu& gpu);

// Whether a GPU has slowed its link to idle: to the first generation, at its full width. It is
// fast again with the first work.
bool is_idle(const PciDevice& device);

// Said of a port that NCCL does not take, wherever one is shown.
inline constexpr std::string_view kLeftOut = "NCCL leaves it out";

// Which NIC ports count: of all that a machine has, NCCL takes those of one network plugin. Where
// there are InfiniBand or RoCE ports, it takes those of them that are up and no other;
// otherwise the interfaces that are up, IP over InfiniBand before all others (NCCL 2.30,
// src/transport/net_ib/init.cc, src/misc/socket.cc). Of NCCL's own files it takes all that are up.
// NCCL_IB_HCA, NCCL_SOCKET_IFNAME and the like are not looked at.
class PortUse {
 public:
  explicit PortUse(const System& system);
  bool takes(const Net& net) const;
  // What keeps it out, in words behind a colon. REQUIRES: !takes(net).
  std::string why_not(const Net& net) const;

 private:
  bool all_ = false, verbs_ = false, over_infiniband_ = false;
};

}  // namespace linerate::topo
