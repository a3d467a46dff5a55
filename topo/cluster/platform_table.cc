// The built-in platforms as data: a row for each, of processors, GPUs and NICs named above it.
#include "topo/cluster/platforms.h"

namespace linerate::topo {
namespace {

// Processors. Family and model as Linux counts them.
constexpr CpuShape kRome{CpuArch::x86_64, "AuthenticAMD", 23, 49, "AMD EPYC 7742", 32};
constexpr CpuShape kAzureRome{CpuArch::x86_64, "AuthenticAMD", 23, 49, "AMD EPYC 7V12", 24};
constexpr CpuShape kMilan{CpuArch::x86_64, "AuthenticAMD", 25, 1, "AMD EPYC 7R13", 96};
constexpr CpuShape kCascadeLake{CpuArch::x86_64, "GenuineIntel", 6, 85, "Xeon 8275CL", 48};
constexpr CpuShape kSapphireRapids{CpuArch::x86_64, "GenuineIntel", 6, 143, "Xeon 8480C", 112};
constexpr CpuShape kAzureRapids{CpuArch::x86_64, "GenuineIntel", 6, 143, "Xeon 8480C", 48};
constexpr CpuShape kGoogleRapids{CpuArch::x86_64, "GenuineIntel", 6, 143, "Xeon 8481C", 104};
constexpr CpuShape kGraniteRapids{CpuArch::x86_64, "GenuineIntel", 6, 173, "Xeon 6776P", 128};
constexpr CpuShape kEmeraldRapids{CpuArch::x86_64, "GenuineIntel", 6, 207, "Xeon 8570", 112};
constexpr CpuShape kGrace{CpuArch::arm64, "", 0, 0, "NVIDIA Grace", 72};

// GPUs: model, PCI device id (pci.ids), compute capability, PCIe, NVLinks, chips they go to, C2C,
// GPUs that bridges join.
constexpr GpuShape kA100{"NVIDIA A100-SXM4-80GB", 0x20b2, 80, 4, 12, 6, {}};
constexpr GpuShape kSmallA100{"NVIDIA A100-SXM4-40GB", 0x20b0, 80, 4, 12, 6, {}};
// AWS's file for p4d says 8 GT/s of every link: Cascade Lake has PCIe 3.
constexpr GpuShape kAwsA100{"NVIDIA A100-SXM4-40GB", 0x20b0, 80, 3, 12, 6, {}};
constexpr GpuShape kH100{"NVIDIA H100 80GB HBM3", 0x2330, 90, 5, 18, 4, {}};
// H20 and H800 data sheets: NVLink of 900 and 400 GB/s, both ways.
constexpr GpuShape kH20{"NVIDIA H20", 0x2329, 90, 5, 18, 4, {}};
constexpr GpuShape kH800{"NVIDIA H800", 0x2324, 90, 5, 8, 4, {}};
// Boards of four: each GPU has as many links to each other one.
constexpr GpuShape kA100OfFour{"NVIDIA A100-SXM4-80GB", 0x20b2, 80, 4, 12, 0, {}};
constexpr GpuShape kH100OfFour{"NVIDIA H100 80GB HBM3", 0x2330, 90, 5, 18, 0, {}};
// Cards: three bridges join two of them with 600 GB/s, both ways (H100 and H100 NVL data sheets).
constexpr GpuShape kH100Card{"NVIDIA H100 PCIe", 0x2331, 90, 5, 12, 0, {}, 2};
constexpr GpuShape kH100Nvl{"NVIDIA H100 NVL", 0x2321, 90, 5, 12, 0, {}, 2};
constexpr GpuShape kH200{"NVIDIA H200", 0x2335, 90, 5, 18, 4, {}};
constexpr GpuShape kB200{"NVIDIA B200", 0x2901, 100, 5, 18, 2, {}};
// NVLink-C2C has 900 GB/s both ways for a Grace with two GPUs; NVML tells 5 links of 44712 MB/s.
constexpr GpuShape kGb200{"NVIDIA GB200", 0x2941, 100, 5, 18, 1, C2c{44712, 5}};
// GB300 NVL72 and DGX B300 data sheets: PCIe 6 to ConnectX-8, PCIe 5 from there to the processor.
constexpr GpuShape kGb300{"NVIDIA GB300", 0x31c2, 103, 6, 18, 1, C2c{44712, 5}};
constexpr GpuShape kB300{"NVIDIA B300", 0x3182, 103, 6, 18, 2, {}};
// The processor's only GPU has all of its 900 GB/s both ways.
constexpr GpuShape kGh200{"NVIDIA GH200 96GB HBM3", 0x2342, 90, 5, 0, 0, C2c{44712, 10}};
constexpr GpuShape kL40s{"NVIDIA L40S", 0x26b9, 89, 4, 0, 0, {}};

constexpr NicShape kConnectX6{"mlx5_", 0x020700, 0x15b3, 0x101b, 4, 200000, 0, "InfiniBand"};
constexpr NicShape kConnectX7{"mlx5_", 0x020700, 0x15b3, 0x1021, 5, 400000, 0, "InfiniBand"};
constexpr NicShape kConnectX7At200{"mlx5_", 0x020000, 0x15b3, 0x1021, 5, 200000, 0, "Ethernet"};
constexpr NicShape kConnectX8{"mlx5_", 0x020700, 0x15b3, 0x1023, 6, 800000, 0, "InfiniBand"};
constexpr NicShape kGvnic{"eth", 0x020000, 0x1ae0, 0x0042, 5, 200000, 0, "Ethernet"};
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
    {{"dgx-a100", 1, 4, 1, 2, 2, 2, kRome, kA100, kConnectX6, 4, 0x1000, 0xc010},
     "8x A100, 12 NVLinks each over 6 NVSwitches, 8x 200 Gb/s InfiniBand"},
    // DGX H100 user guide: 2x Xeon 8480C, a ConnectX-7 beside each GPU.
    {{"dgx-h100", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH100, kConnectX7, 5, 0x1000, 0xc030},
     "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // HGX H200 data sheet, with the NICs of NVIDIA's 2-8-9-400 reference configuration.
    {{"hgx-h200", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH200, kConnectX7, 5, 0x1000, 0xc030},
     "8x H200, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // NVIDIA's 2-8-5 reference configurations of HGX: a NIC for two GPUs below one switch, and one
    // for storage that is not shown.
    {{"hgx-a100-4nic", 1, 4, 1, 2, 2, 1, kRome, kA100, kConnectX6, 4, 0x1000, 0xc010},
     "8x A100, 12 NVLinks each over 6 NVSwitches, 4x 200 Gb/s InfiniBand"},
    {{"hgx-h100-4nic", 1, 2, 2, 2, 2, 1, kSapphireRapids, kH100, kConnectX7, 5, 0x1000, 0xc030},
     "8x H100, 18 NVLinks each over 4 NVSwitches, 4x 400 Gb/s InfiniBand"},
    // HGX A100 and H100 data sheets, boards of four; Lenovo's product guides of the SD650-N V2 and
    // V3: two GPUs at each processor, four NICs.
    {{"hgx-a100-4gpu", 1, 2, 0, 1, 2, 2, kRome, kA100OfFour, kConnectX6, 4, 0, 0},
     "4x A100, 4 NVLinks from each to each, 4x 200 Gb/s InfiniBand"},
    {{"hgx-h100-4gpu", 1, 2, 0, 1, 2, 2, kSapphireRapids, kH100OfFour, kConnectX7, 5, 0, 0},
     "4x H100, 6 NVLinks from each to each, 4x 400 Gb/s InfiniBand"},
    // HGX H20 and H800 with the NICs of HGX H100; the H800 as in arXiv 2505.09343, section 4.
    {{"hgx-h20", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH20, kConnectX7, 5, 0x1000, 0xc030},
     "8x H20, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"},
    {{"hgx-h800", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH800, kConnectX7, 5, 0x1000, 0xc030},
     "8x H800, 8 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // GH200 data sheet: one Grace and one Hopper, a ConnectX-7.
    {{"gh200", 1, 1, 0, 1, 1, 1, kGrace, kGh200, kConnectX7, 5, 0, 0},
     "1x GH200, C2C of 450 GB/s each way, 1x 400 Gb/s InfiniBand"},
    // DGX B200 data sheet: 2x Xeon 8570, two NVSwitches.
    {{"dgx-b200", 1, 2, 4, 2, 1, 1, kEmeraldRapids, kB200, kConnectX7, 5, 0x1000, 0xc030},
     "8x B200, 18 NVLinks each over 2 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // DGX B300 user guide: 2x Xeon 6776P, two NVSwitches, a ConnectX-8 with its PCIe switch beside
    // each GPU.
    {{"dgx-b300", 1, 2, 4, 1, 1, 1, kGraniteRapids, kB300, kConnectX8, 5, 0x15b3, 0x1024},
     "8x B300, 18 NVLinks each over 2 NVSwitches, 8x 800 Gb/s InfiniBand"},
    // GB200 NVL72 data sheet: 18 trays of 2 Grace and 4 GPUs, a ConnectX-7 for each GPU.
    {{"gb200-nvl72", 18, 2, 0, 1, 2, 2, kGrace, kGb200, kConnectX7, 5, 0, 0},
     "18 hosts of 4 GB200 in one NVLink domain, 4x 400 Gb/s InfiniBand each"},
    // GB300 NVL72 reference architecture: trays of 2 Grace and 4 GPUs, a ConnectX-8 with its PCIe
    // switch for each GPU.
    {{"gb300-nvl72", 18, 2, 2, 1, 1, 1, kGrace, kGb300, kConnectX8, 5, 0x15b3, 0x1024},
     "18 hosts of 4 GB300 in one NVLink domain, 4x 800 Gb/s InfiniBand each"},
    // Azure's documentation and topology file of ND A100 v4: two GPUs and NICs per NUMA node.
    {{"azure-ndv4", 1, 4, 1, 1, 2, 2, kAzureRome, kSmallA100, kConnectX6, 4, 0, 0},
     "8x A100, 12 NVLinks each over 6 NVSwitches, 8x 200 Gb/s InfiniBand"},
    // Azure's documentation and topology file of ND H100 v5.
    {{"azure-ndv5", 1, 2, 4, 1, 1, 1, kAzureRapids, kH100, kConnectX7, 5, 0, 0},
     "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // AWS's documentation and topology file of p4d.24xlarge: four EFA, one for two GPUs.
    {{"aws-p4d", 1, 2, 2, 1, 2, 1, kCascadeLake, kAwsA100, kEfa, 3, 0x1d0f, 0x0200},
     "8x A100, 12 NVLinks each over 6 NVSwitches, 4x 100 Gb/s EFA"},
    // AWS's documentation of p5.48xlarge; its processors have PCIe 4.
    {{"aws-p5", 1, 2, 4, 1, 1, 1, kMilan, kH100, kFourEfa2, 4, 0x1d0f, 0x0200},
     "8x H100, 18 NVLinks each over 4 NVSwitches, 32x 100 Gb/s EFA that NCCL sees as 8x 400"},
    // Google's documentation of a3-megagpu-8g: 208 vCPU, 8 NICs of 200 Gb/s for the GPUs (TCPXO).
    {{"gcp-a3-mega", 1, 2, 4, 1, 1, 1, kGoogleRapids, kH100, kGvnic, 5, 0, 0},
     "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 200 Gb/s Ethernet"},
    // NVIDIA's 2-8-5-200 reference configuration for cards, with pairs joined by bridges.
    {{"pcie-8xh100", 1, 2, 2, 1, 2, 1, kSapphireRapids, kH100Card, kConnectX7At200, 5, 0x1000,
      0xc030},
     "8x H100 PCIe, 12 NVLinks in each pair, 4x 200 Gb/s Ethernet"},
    {{"pcie-8xh100nvl", 1, 2, 2, 1, 2, 1, kSapphireRapids, kH100Nvl, kConnectX7At200, 5, 0x1000,
      0xc030},
     "8x H100 NVL, 12 NVLinks in each pair, 4x 200 Gb/s Ethernet"},
    // NVIDIA OVX with L40S: 2 processors, 8 GPUs without NVLink, one NIC for two of them.
    {{"pcie-8xl40s", 1, 2, 2, 1, 2, 1, kSapphireRapids, kL40s, kConnectX7At200, 5, 0x1000, 0xc030},
     "8x L40S over PCI Express, 4x 200 Gb/s Ethernet"},
};

}  // namespace

std::span<const Platform> platforms() { return kPlatforms; }

}  // namespace linerate::topo
