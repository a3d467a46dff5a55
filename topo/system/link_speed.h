// The bandwidths that NCCL counts for links, and the state of links.
#pragma once

#include "topo/system/system.h"
#include "topo/version.h"

#include <string_view>

namespace linerate::topo {

// Within a device, or to one whose way nobody tells (LOC_BW in NCCL's src/graph/topo.h).
inline constexpr double kLocalGbps = 5000;

// Whether NCCL knows the generation that `text` tells, as sysfs words it: "16.0 GT/s PCIe", or
// "16 GT/s" as kernels before 5.7 did. Any other text, "16.0 GT/s" among them, counts as Gen3.
bool knows_pci_speed(std::string_view text);

// GB/s of one direction. A width of 0 counts as 16 lanes, a speed that NCCL does not know as Gen3.
double pci_gbps(const PciLink& link);

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

// Whether the port is up; also where its state is not known.
bool is_up(const Net& net);

// GT/s of a link speed as sysfs words it: 16 of "16.0 GT/s PCIe". 0: it says something else.
double gigatransfers_of(std::string_view speed);

// Whether a GPU has slowed its link to idle: to the first generation, at its full width. It is
// fast again with the first work.
bool is_idle(const PciDevice& device);

}  // namespace linerate::topo
