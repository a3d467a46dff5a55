#include "topo/cluster/node_shape.h"

#include "topo/system/system.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <span>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kNvidiaVendor = 0x10de;
constexpr std::uint32_t kGpuClass = 0x030200, kBridgeClass = 0x060400, kNvSwitchClass = 0x068000;
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

  Cpu cpu(int numa);

 private:
  void add_devices(std::vector<PciDevice>& to);
  void add_device(std::vector<PciDevice>& to, bool is_gpu);
  PciDevice device(std::uint32_t class_code, std::uint32_t vendor, std::uint32_t id, int pcie);
  PciDevice bridge();
  PciDevice gpu();
  PciDevice nic();

  const NodeShape& shape_;
  int host_ = 0;
  int buses_ = 0, gpus_ = 0, nics_ = 0;
};

Cpu HostMaker::cpu(int numa) {
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
  for (int i = 0; i < shape_.switches; ++i) {
    cpu.devices.push_back(bridge());
    add_devices(cpu.devices.back().children);
  }
  return cpu;
}

void HostMaker::add_devices(std::vector<PciDevice>& to) {
  for (int i = 0; i < shape_.gpus; ++i) add_device(to, true);
  for (int i = 0; i < shape_.nics; ++i) add_device(to, false);
}

void HostMaker::add_device(std::vector<PciDevice>& to, bool is_gpu) {
  auto& place = shape_.levels > 1 ? to.emplace_back(bridge()).children : to;
  place.push_back(is_gpu ? gpu() : nic());
}

PciDevice HostMaker::device(std::uint32_t class_code, std::uint32_t vendor, std::uint32_t id,
                            int pcie) {
  ++buses_;
  return {.bus_id = {.domain = static_cast<std::uint32_t>(buses_) >> 8,
                     .bus = static_cast<std::uint8_t>(buses_ & 0xff)},
          .class_code = class_code,
          .vendor = vendor,
          .device = id,
          .link = pci_x16(pcie),
          .max_link = pci_x16(pcie)};
}

PciDevice HostMaker::bridge() {
  return device(kBridgeClass, shape_.switch_vendor, shape_.switch_device, shape_.uplink);
}

PciDevice HostMaker::gpu() {
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

PciDevice HostMaker::nic() {
  const NicShape& of = shape_.nic;
  auto made = device(of.class_code, of.vendor, of.device, of.pcie);
  const int dev = nics_++;
  const auto nth =
      static_cast<std::uint64_t>(host_) * static_cast<std::uint64_t>(shape_.nics_per_host()) +
      static_cast<std::uint64_t>(dev);
  made.nets.push_back({.name = fmt::format("{}{}", of.prefix, dev),
                       .dev = dev,
                       .speed_mbps = of.speed_mbps,
                       .latency_us = of.latency_us,
                       .guid = kFirstGuid + nth,
                       .maxconn = kMaxConnections,
                       .gdr = true,
                       .link_layer = std::string(of.link_layer)});
  return made;
}

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
  for (PciDevice* gpu : gpus) {
    if (shape.nvswitches > 0) {
      gpu->gpu->nvlinks = spread(shape.nvlinks, nvswitch_targets(shape.nvswitches), kNvSwitchClass);
      continue;
    }
    std::vector<std::string> others;
    for (const PciDevice* other : gpus)
      if (other != gpu) others.push_back(text_of(other->bus_id));
    gpu->gpu->nvlinks = spread(shape.nvlinks, others, kGpuClass);
  }
}

}  // namespace

PciLink pci_x16(int generation) {
  constexpr std::array<std::string_view, 6> kSpeeds{"2.5",  "5.0",  "8.0",
                                                    "16.0", "32.0", "64.0"};  // GT/s
  assert(generation >= 1 && generation <= static_cast<int>(kSpeeds.size()));
  return {fmt::format("{} GT/s PCIe", kSpeeds[static_cast<std::size_t>(generation - 1)]), 16};
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

}  // namespace linerate::topo
