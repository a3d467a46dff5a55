#include "topo/cluster/platforms.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace linerate::topo {
namespace {

// Processors. Family and model as Linux counts them.
constexpr CpuShape kRome{CpuArch::x86_64, "AuthenticAMD", 23, 49, "AMD EPYC 7742", 32};
constexpr CpuShape kAzureRome{CpuArch::x86_64, "AuthenticAMD", 23, 49, "AMD EPYC 7V12", 24};
constexpr CpuShape kMilan{CpuArch::x86_64, "AuthenticAMD", 25, 1, "AMD EPYC 7R13", 96};
constexpr CpuShape kCascadeLake{CpuArch::x86_64, "GenuineIntel", 6, 85, "Xeon 8275CL", 48};
constexpr CpuShape kSapphireRapids{CpuArch::x86_64, "GenuineIntel", 6, 143, "Xeon 8480C", 112};
constexpr CpuShape kAzureRapids{CpuArch::x86_64, "GenuineIntel", 6, 143, "Xeon 8480C", 48};
constexpr CpuShape kEmeraldRapids{CpuArch::x86_64, "GenuineIntel", 6, 207, "Xeon 8570", 112};
constexpr CpuShape kGrace{CpuArch::arm64, "", 0, 0, "NVIDIA Grace", 72};

// GPUs: model, PCI device id (pci.ids), compute capability, PCIe, NVLinks, chips they go to.
constexpr GpuShape kA100{"NVIDIA A100-SXM4-80GB", 0x20b2, 80, 4, 12, 6, {}};
constexpr GpuShape kSmallA100{"NVIDIA A100-SXM4-40GB", 0x20b0, 80, 4, 12, 6, {}};
// AWS's file for p4d says 8 GT/s of every link: Cascade Lake has PCIe 3.
constexpr GpuShape kAwsA100{"NVIDIA A100-SXM4-40GB", 0x20b0, 80, 3, 12, 6, {}};
constexpr GpuShape kH100{"NVIDIA H100 80GB HBM3", 0x2330, 90, 5, 18, 4, {}};
constexpr GpuShape kH200{"NVIDIA H200", 0x2335, 90, 5, 18, 4, {}};
constexpr GpuShape kB200{"NVIDIA B200", 0x2901, 100, 5, 18, 2, {}};
// NVLink-C2C has 900 GB/s both ways for a Grace with two GPUs; NVML tells 5 links of 44712 MB/s.
constexpr GpuShape kGb200{"NVIDIA GB200", 0x2941, 100, 5, 18, 1, C2c{44712, 5}};
constexpr GpuShape kL40s{"NVIDIA L40S", 0x26b9, 89, 4, 0, 0, {}};

constexpr NicShape kConnectX6{"mlx5_", 0x020700, 0x15b3, 0x101b, 4, 200000, 0, "InfiniBand"};
constexpr NicShape kConnectX7{"mlx5_", 0x020700, 0x15b3, 0x1021, 5, 400000, 0, "InfiniBand"};
constexpr NicShape kConnectX7At200{"mlx5_", 0x020000, 0x15b3, 0x1021, 5, 200000, 0, "Ethernet"};
// 75 us: what AWS's plugin tells NCCL of both machines (src/platform-aws.cpp of aws-ofi-nccl).
constexpr NicShape kEfa{"efa", 0x020000, 0x1d0f, 0xefa0, 3, 100000, 75, "Ethernet"};
// Four of them stand beside each GPU of a p5, and NCCL sees one: the plugin groups NICs by the GPU
// that they are near to (src/nccl_ofi_topo.cpp), adds up their speeds (get_properties in
// src/nccl_ofi_rdma.cpp), and writes the first one's PCI link into NCCL's file as wide as the
// GPU's (write_nic). p4d has one for two GPUs, and a protocol of the plugin without groups.
constexpr NicShape kFourEfa2{"efa", 0x020000, 0x1d0f, 0xefa1, 5, 400000, 75, "Ethernet"};

// A row's shape: {name, hosts, NUMA nodes, switches each, their levels, GPUs and NICs each, ...,
// PCIe of the switches, their vendor and device}. NVIDIA's machines show two levels of switches
// (PXB in nvidia-smi topo -m); those of virtual machines are none of a vendor.
constexpr Platform kPlatforms[] = {
    // DGX A100 user guide: 2x EPYC 7742 with 4 NUMA nodes each, of which four have the devices.
    {"dgx-a100",
     "8x A100, 12 NVLinks each over 6 NVSwitches, 8x 200 Gb/s InfiniBand",
     {"dgx-a100", 1, 4, 1, 2, 2, 2, kRome, kA100, kConnectX6, 4, 0x1000, 0xc010}},
    // DGX H100 user guide: 2x Xeon 8480C, a ConnectX-7 beside each GPU.
    {"dgx-h100",
     "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand",
     {"dgx-h100", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH100, kConnectX7, 5, 0x1000, 0xc030}},
    // HGX H200 data sheet, with the NICs of NVIDIA's 2-8-9-400 reference configuration.
    {"hgx-h200",
     "8x H200, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand",
     {"hgx-h200", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH200, kConnectX7, 5, 0x1000, 0xc030}},
    // DGX B200 data sheet: 2x Xeon 8570, two NVSwitches.
    {"dgx-b200",
     "8x B200, 18 NVLinks each over 2 NVSwitches, 8x 400 Gb/s InfiniBand",
     {"dgx-b200", 1, 2, 4, 2, 1, 1, kEmeraldRapids, kB200, kConnectX7, 5, 0x1000, 0xc030}},
    // GB200 NVL72 data sheet: 18 trays of 2 Grace and 4 GPUs, a ConnectX-7 for each GPU.
    {"gb200-nvl72",
     "18 hosts of 4 GB200 in one NVLink domain, 4x 400 Gb/s InfiniBand each",
     {"gb200-nvl72", 18, 2, 0, 1, 2, 2, kGrace, kGb200, kConnectX7, 5, 0, 0}},
    // Azure's documentation and topology file of ND A100 v4: two GPUs and NICs per NUMA node.
    {"azure-ndv4",
     "8x A100, 12 NVLinks each over 6 NVSwitches, 8x 200 Gb/s InfiniBand",
     {"azure-ndv4", 1, 4, 1, 1, 2, 2, kAzureRome, kSmallA100, kConnectX6, 4, 0, 0}},
    // Azure's documentation and topology file of ND H100 v5.
    {"azure-ndv5",
     "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand",
     {"azure-ndv5", 1, 2, 4, 1, 1, 1, kAzureRapids, kH100, kConnectX7, 5, 0, 0}},
    // AWS's documentation and topology file of p4d.24xlarge: four EFA, one for two GPUs.
    {"aws-p4d",
     "8x A100, 12 NVLinks each over 6 NVSwitches, 4x 100 Gb/s EFA",
     {"aws-p4d", 1, 2, 2, 1, 2, 1, kCascadeLake, kAwsA100, kEfa, 3, 0x1d0f, 0x0200}},
    // AWS's documentation of p5.48xlarge; its processors have PCIe 4.
    {"aws-p5",
     "8x H100, 18 NVLinks each over 4 NVSwitches, 32x 100 Gb/s EFA that NCCL sees as 8x 400",
     {"aws-p5", 1, 2, 4, 1, 1, 1, kMilan, kH100, kFourEfa2, 4, 0x1d0f, 0x0200}},
    // NVIDIA OVX with L40S: 2 processors, 8 GPUs without NVLink, one NIC for two of them.
    {"pcie-8xl40s",
     "8x L40S over PCI Express, 4x 200 Gb/s Ethernet",
     {"pcie-8xl40s", 1, 2, 2, 1, 2, 1, kSapphireRapids, kL40s, kConnectX7At200, 5, 0x1000, 0xc030}},
};

}  // namespace

std::span<const Platform> platforms() { return kPlatforms; }

Result<System> built_in_platform(std::string_view name) {
  const auto found = std::ranges::find(kPlatforms, name, &Platform::name);
  if (found == std::end(kPlatforms)) {
    std::vector<std::string_view> names;
    for (const auto& platform : kPlatforms) names.push_back(platform.name);
    return Failure{unknown_choice("platform", name, names)};
  }
  System system = system_of(found->shape);
  system.source = fmt::format("built-in {}", name);
  return system;
}

}  // namespace linerate::topo
