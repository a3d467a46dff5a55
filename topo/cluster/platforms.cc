#include "topo/cluster/platforms.h"

#include "base/text.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kBridgeClass = 0x060400;
constexpr std::uint64_t kFirstGuid = 0x0200'0000'0000'0001;  // a locally administered address
constexpr int kMaxConnections = 131072;                      // as NCCL's InfiniBand plugin says
constexpr std::uint32_t kNvSwitchDomain = 0xffff;            // apart from all that is counted

// "00000000,0000ffff": `count` bits from `first` on, in a mask of `total`.
std::string affinity_mask(int first, int count, int total) {
  std::string mask;
  for (int word = (total + 31) / 32 - 1; word >= 0; --word) {
    std::uint32_t bits = 0;
    for (int bit = 0; bit < 32; ++bit)
      if (const int at = word * 32 + bit; at >= first && at < first + count) bits |= 1U << bit;
    mask += fmt::format("{}{:08x}", mask.empty() ? "" : ",", bits);
  }
  return mask;
}

// One host; bus ids, GPUs and NICs are counted as they are made.
class HostMaker {
 public:
  HostMaker(const NodeShape& shape, int host) : shape_(shape), host_(host) {}

  Cpu cpu(int numa) {
    const CpuShape& of = shape_.cpu;
    Cpu cpu{.numa = numa,
            .affinity = affinity_mask(numa * of.threads, of.threads, shape_.numas * of.threads),
            .arch = of.arch,
            .vendor = std::string(of.vendor),
            .family = of.family,
            .model = of.model,
            .host_hash = shape_.hosts > 1 ? static_cast<std::uint64_t>(host_ + 1) : 0,
            .name = std::string(of.name)};
    if (shape_.switches == 0) add_devices(cpu.devices);
    for (int i = 0; i < shape_.switches; ++i)
      add_devices(cpu.devices.emplace_back(bridge()).children);
    return cpu;
  }

 private:
  void add_devices(std::vector<PciDevice>& to) {
    for (int i = 0; i < shape_.gpus; ++i) add_device(to, true);
    for (int i = 0; i < shape_.nics; ++i) add_device(to, false);
  }

  void add_device(std::vector<PciDevice>& to, bool is_gpu) {
    auto& place = shape_.levels > 1 ? to.emplace_back(bridge()).children : to;
    place.push_back(is_gpu ? gpu() : nic());
  }

  PciDevice device(std::uint32_t class_code, std::uint32_t vendor, std::uint32_t id, int pcie) {
    ++buses_;
    return {.bus_id = {.domain = static_cast<std::uint32_t>(buses_) >> 8,
                       .bus = static_cast<std::uint8_t>(buses_ & 0xff)},
            .class_code = class_code,
            .vendor = vendor,
            .device = id,
            .link = pci_x16(pcie),
            .max_link = pci_x16(pcie)};
  }

  PciDevice bridge() {
    return device(kBridgeClass, shape_.switch_vendor, shape_.switch_device, shape_.uplink);
  }

  PciDevice gpu() {
    const GpuShape& of = shape_.gpu;
    auto made = device(kGpuClass, kNvidiaVendor, of.device, of.pcie);
    const int dev = gpus_++;
    made.gpu = Gpu{.dev = dev,
                   .sm = of.sm,
                   .rank = host_ * shape_.gpus_per_host() + dev,
                   .gdr = true,
                   .model = std::string(of.model),
                   .c2c = of.c2c};
    return made;
  }

  PciDevice nic() {
    const NicShape& of = shape_.nic;
    auto made = device(of.class_code, of.vendor, of.device, of.pcie);
    const int dev = nics_++;
    made.nets.push_back(
        {.name = fmt::format("{}{}", of.prefix, dev),
         .dev = dev,
         .speed_mbps = of.speed_mbps,
         .latency_us = of.latency_us,
         .guid = kFirstGuid + static_cast<std::uint64_t>(host_ * shape_.nics_per_host() + dev),
         .maxconn = kMaxConnections,
         .gdr = true,
         .link_layer = std::string(of.link_layer)});
    return made;
  }

  const NodeShape& shape_;
  int host_ = 0;
  int buses_ = 0, gpus_ = 0, nics_ = 0;
};

// Links spread over targets as evenly as they go, the first ones taking what is left over.
std::vector<NvLink> spread(int links, const std::vector<std::string>& targets,
                           std::uint32_t tclass) {
  std::vector<NvLink> spread_links;
  const int n = static_cast<int>(targets.size());
  for (int i = 0; i < n; ++i)
    if (const int count = links / n + (i < links % n ? 1 : 0); count > 0)
      spread_links.push_back({.target = targets[static_cast<std::size_t>(i)],
                              .count = count,
                              .tclass = tclass,
                              .capacity = static_cast<std::uint32_t>(links)});
  return spread_links;
}

std::vector<std::string> nvswitch_targets(int nvswitches) {
  if (nvswitches == 1) return {"fffffff:ff:ff.0"};  // as NCCL calls one that it cannot see
  std::vector<std::string> targets;
  for (int i = 0; i < nvswitches; ++i)
    targets.push_back(text_of({.domain = kNvSwitchDomain, .bus = static_cast<std::uint8_t>(i)}));
  return targets;
}

// Of one host: its GPUs are the only ones that links go to directly.
void add_nvlinks(std::span<Cpu> cpus, const GpuShape& shape) {
  std::vector<PciDevice*> gpus;
  for (Cpu& cpu : cpus)
    for (PciDevice& top : cpu.devices)
      walk(top, [&](PciDevice& device, int) {
        if (device.gpu) gpus.push_back(&device);
      });
  const bool switched = shape.nvswitches > 0;
  for (PciDevice* gpu : gpus) {
    std::vector<std::string> targets;
    if (switched) targets = nvswitch_targets(shape.nvswitches);
    for (const PciDevice* other : gpus)
      if (!switched && other != gpu) targets.push_back(text_of(other->bus_id));
    gpu->gpu->nvlinks = spread(shape.nvlinks, targets, switched ? kNvSwitchClass : kGpuClass);
  }
}

}  // namespace

PciLink pci_x16(int generation) {
  assert(generation >= 1 && generation <= std::ssize(kPcieGenerations));
  return {std::string(kPcieGenerations[static_cast<std::size_t>(generation - 1)].text), 16};
}

System system_of(const NodeShape& shape) {
  assert(shape.hosts > 0 && shape.numas > 0);
  System system{.name = std::string(shape.name)};
  for (int host = 0; host < shape.hosts; ++host) {
    HostMaker maker(shape, host);
    const std::size_t first = system.cpus.size();
    for (int numa = 0; numa < shape.numas; ++numa) system.cpus.push_back(maker.cpu(numa));
    add_nvlinks(std::span(system.cpus).subspan(first), shape.gpu);
  }
  return system;
}

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
    {{"dgx-a100", 1, 4, 1, 2, 2, 2, kRome, kA100, kConnectX6, 4, 0x1000, 0xc010},
     "8x A100, 12 NVLinks each over 6 NVSwitches, 8x 200 Gb/s InfiniBand"},
    // DGX H100 user guide: 2x Xeon 8480C, a ConnectX-7 beside each GPU.
    {{"dgx-h100", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH100, kConnectX7, 5, 0x1000, 0xc030},
     "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // HGX H200 data sheet, with the NICs of NVIDIA's 2-8-9-400 reference configuration.
    {{"hgx-h200", 1, 2, 4, 2, 1, 1, kSapphireRapids, kH200, kConnectX7, 5, 0x1000, 0xc030},
     "8x H200, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // DGX B200 data sheet: 2x Xeon 8570, two NVSwitches.
    {{"dgx-b200", 1, 2, 4, 2, 1, 1, kEmeraldRapids, kB200, kConnectX7, 5, 0x1000, 0xc030},
     "8x B200, 18 NVLinks each over 2 NVSwitches, 8x 400 Gb/s InfiniBand"},
    // GB200 NVL72 data sheet: 18 trays of 2 Grace and 4 GPUs, a ConnectX-7 for each GPU.
    {{"gb200-nvl72", 18, 2, 0, 1, 2, 2, kGrace, kGb200, kConnectX7, 5, 0, 0},
     "18 hosts of 4 GB200 in one NVLink domain, 4x 400 Gb/s InfiniBand each"},
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
    // NVIDIA OVX with L40S: 2 processors, 8 GPUs without NVLink, one NIC for two of them.
    {{"pcie-8xl40s", 1, 2, 2, 1, 2, 1, kSapphireRapids, kL40s, kConnectX7At200, 5, 0x1000, 0xc030},
     "8x L40S over PCI Express, 4x 200 Gb/s Ethernet"},
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
  System system = system_of(*found);
  system.source = fmt::format("built-in {}", name);
  return system;
}

}  // namespace linerate::topo
