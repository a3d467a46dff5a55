// Systems drawn at random, the same from the same seed: trees of switches, mixed generations of
// links, NVLinks by switch, by pairs or none, C2C, peers of switches, NICs without a place.
#pragma once

#include "topo/cluster/platforms.h"
#include "topo/system/system.h"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::topo {

class RandomSystem {
 public:
  explicit RandomSystem(unsigned seed) : random_(seed) {}

  System make() {
    const auto& [arch, vendor, model] = kCpus[pick(kCpus.size())];
    sm_ = kCapabilities[pick(kCapabilities.size())];
    const auto sockets = 1 + pick(3);
    for (std::size_t numa = 0; numa < sockets; ++numa)
      system_.cpus.push_back({.numa = static_cast<int>(numa),
                              .arch = arch,
                              .vendor = std::string(vendor),
                              .family = 6,
                              .model = model,
                              .devices = devices(0)});
    if (gpus_ == 0) system_.cpus[0].devices.push_back(gpu());
    if (chance(4)) system_.cpus.back().nets = ports(0x50);
    add_nvlinks();
    if (chance(4)) link_switches();
    return std::move(system_);
  }

 private:
  struct CpuKind {
    CpuArch arch;
    std::string_view vendor;
    int model;
  };
  static constexpr std::array<CpuKind, 5> kCpus{{{CpuArch::x86_64, "GenuineIntel", 0x4f},
                                                 {CpuArch::x86_64, "GenuineIntel", 0x8f},
                                                 {CpuArch::x86_64, "AuthenticAMD", 1},
                                                 {CpuArch::arm64, "", 0},
                                                 {CpuArch::ppc64, "", 0}}};
  static constexpr std::array<int, 5> kCapabilities{70, 80, 86, 90, 100};
  static constexpr std::size_t kMaxGpus = 8, kMaxPorts = 8;

  std::size_t pick(std::size_t below) { return random_() % below; }
  bool chance(std::size_t one_in) { return pick(one_in) == 0; }

  std::vector<PciDevice> devices(int depth) {
    std::vector<PciDevice> made;
    const auto count = 1 + pick(3);
    for (std::size_t i = 0; i < count; ++i) {
      const auto kind = pick(3);
      if (kind == 0 && depth < 3) made.push_back(bridge(depth));
      if (kind == 1 && gpus_ < kMaxGpus) made.push_back(gpu());
      if (kind == 2 && ports_ < kMaxPorts) made.push_back(nic());
    }
    return made;
  }

  PciDevice device(std::uint32_t class_code) {
    const int generation = 3 + static_cast<int>(pick(3));
    PciLink link = pci_x16(generation);
    if (chance(4)) link.width = 8;
    return {.bus_id = {.bus = static_cast<std::uint8_t>(++buses_)},
            .class_code = class_code,
            .link = link};
  }

  // Some are halves of Broadcom's two-level switches.
  PciDevice bridge(int depth) {
    auto made = device(0x060400);
    if (chance(3)) {
      made.vendor = made.subsystem_vendor = 0x1000;
      made.device = 0xc030;
      made.subsystem_device = depth == 0 ? 0x0072 : 0x1003;
    }
    made.children = devices(depth + 1);
    return made;
  }

  PciDevice gpu() {
    auto made = device(0x030200);
    const int dev = static_cast<int>(gpus_++);
    made.gpu = Gpu{.dev = dev, .sm = sm_, .rank = dev, .gdr = !chance(8)};
    if (chance(6)) made.gpu->c2c = C2c{44712, 5};
    return made;
  }

  PciDevice nic() {
    auto made = device(0x020700);
    made.nets = ports(made.bus_id.bus);
    return made;
  }

  std::vector<Net> ports(int nic) {
    static constexpr std::array<double, 4> kSpeeds{100000, 200000, 400000, 25000};
    std::vector<Net> nets;
    const auto count = 1 + pick(2);
    for (std::size_t port = 1; port <= count; ++port) {
      const int dev = static_cast<int>(ports_++);
      nets.push_back({.name = "mlx5_" + std::to_string(dev),
                      .dev = dev,
                      .speed_mbps = kSpeeds[pick(kSpeeds.size())],
                      .port = static_cast<int>(port),
                      .guid = static_cast<std::uint64_t>(0x100 + nic),
                      .gdr = !chance(8)});
    }
    return nets;
  }

  // The first two switches are peers.
  void link_switches() {
    std::vector<PciDevice*> found;
    walk_devices(system_, [&](Cpu&, PciDevice& device, int) {
      if (!device.gpu && device.nets.empty()) found.push_back(&device);
    });
    if (found.size() < 2) return;
    found[0]->pci_peers = {found[1]->bus_id};
    found[1]->pci_peers = {found[0]->bus_id};
  }

  void add_nvlinks() {
    std::vector<PciDevice*> gpus;
    walk_devices(system_, [&](Cpu&, PciDevice& device, int) {
      if (device.gpu) gpus.push_back(&device);
    });
    const auto kind = pick(3);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (kind == 1)
        gpus[i]->gpu->nvlinks = {{.target = "fffffff:ff:ff.0", .count = 12, .tclass = 0x068000}};
      if (kind == 2 && i > 0) link(*gpus[i], *gpus[pick(i)]);
    }
  }

  void link(PciDevice& a, PciDevice& b) {
    const int count = 1 + static_cast<int>(pick(4));
    a.gpu->nvlinks.push_back({.target = text_of(b.bus_id), .count = count, .tclass = 0x030200});
    b.gpu->nvlinks.push_back({.target = text_of(a.bus_id), .count = count, .tclass = 0x030200});
  }

  std::mt19937 random_;
  System system_{};
  int sm_ = 90, buses_ = 0;
  std::size_t gpus_ = 0, ports_ = 0;
};

inline System random_system(unsigned seed) { return RandomSystem(seed).make(); }

}  // namespace linerate::topo
