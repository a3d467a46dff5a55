#include "topo/cluster/platforms.h"

#include "base/text.h"
#include "topo/cluster/nvlink_domain.h"
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
  explicit HostMaker(const NodeShape& shape) : shape_(shape) {}

  Cpu cpu(int numa) {
    const CpuShape& of = shape_.cpu;
    Cpu cpu{.numa = numa,
            .affinity = affinity_mask(numa * of.threads, of.threads, shape_.numas * of.threads),
            .arch = of.arch,
            .vendor = std::string(of.vendor),
            .family = of.family,
            .model = of.model,
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
                   .rank = dev,
                   .gdr = true,
                   .model = std::string(of.model),
                   .c2c = of.c2c};
    return made;
  }

  PciDevice nic() {
    const NicShape& of = shape_.nic;
    auto made = device(of.class_code, of.vendor, of.device, of.pcie);
    const int dev = nics_++;
    made.nets.push_back({.name = fmt::format("{}{}", of.prefix, dev),
                         .dev = dev,
                         .speed_mbps = of.speed_mbps,
                         .latency_us = of.latency_us,
                         .guid = kFirstGuid + static_cast<std::uint64_t>(dev),
                         .maxconn = kMaxConnections,
                         .gdr = true,
                         .link_layer = std::string(of.link_layer)});
    return made;
  }

  const NodeShape& shape_;
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
  const std::size_t joined =
      shape.joined > 0 ? static_cast<std::size_t>(shape.joined) : gpus.size();
  for (std::size_t n = 0; n < gpus.size(); ++n) {
    std::vector<std::string> targets;
    if (switched) targets = nvswitch_targets(shape.nvswitches);
    for (std::size_t other = 0; other < gpus.size(); ++other)
      if (!switched && other != n && other / joined == n / joined)
        targets.push_back(text_of(gpus[other]->bus_id));
    gpus[n]->gpu->nvlinks = spread(shape.nvlinks, targets, switched ? kNvSwitchClass : kGpuClass);
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
  HostMaker maker(shape);
  for (int numa = 0; numa < shape.numas; ++numa) system.cpus.push_back(maker.cpu(numa));
  add_nvlinks(system.cpus, shape.gpu);
  return copies_of_host(system, shape.hosts);
}

namespace {

// "gb200-nvl" of "gb200-nvl72": racks are called by the number of their GPUs, and so are parts.
std::string_view stem_of(const Platform& rack) {
  return rack.name.substr(0, rack.name.find_last_not_of("0123456789") + 1);
}

// The hosts of a part of the rack; 0: it has no such part.
int hosts_of_part(const Platform& rack, std::string_view name) {
  const auto gpus = parse_integer("GPUs", name.substr(stem_of(rack).size()));
  const int host = rack.gpus_per_host();
  const int all = rack.hosts * host;
  if (!gpus || *gpus <= 0 || *gpus > all || *gpus % host != 0) return 0;
  return static_cast<int>(*gpus) / host;
}

Failure no_such_part(const Platform& rack, std::string_view name) {
  const int host = rack.gpus_per_host();
  return Failure{
      fmt::format("There is no part '{}' of {}, which has {} hosts of {} GPUs: give {}{} "
                  "to {}, in steps of {}.",
                  name, rack.name, rack.hosts, host, stem_of(rack), host, rack.name, host)};
}

Failure no_such_platform(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& platform : platforms()) names.push_back(platform.name);
  return Failure{unknown_choice("platform", name, names)};
}

}  // namespace

Result<System> built_in_platform(std::string_view name) {
  const auto all = platforms();
  auto found = std::ranges::find(all, name, &Platform::name);
  const bool is_whole = found != all.end();
  if (!is_whole)
    found = std::ranges::find_if(all, [&](const Platform& platform) {
      return platform.hosts > 1 && name.starts_with(stem_of(platform));
    });
  if (found == all.end()) return no_such_platform(name);
  NodeShape shape = *found;
  if (!is_whole) shape.hosts = hosts_of_part(*found, name);
  if (shape.hosts == 0) return no_such_part(*found, name);
  System system = system_of(shape);
  system.name = name;
  system.source = fmt::format("built-in {}", name);
  return system;
}

}  // namespace linerate::topo
