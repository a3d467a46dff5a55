// Systems for tests of how systems are shown.
#pragma once

#include "topo/system/system.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace linerate::topo {

// Two cores and a virtio NIC whose speed nobody tells.
inline System little_machine() {
  System system{.name = "laptop", .source = "this machine"};
  system.unseen = {"No GPU: the PCI bus shows none."};
  Cpu& cpu = system.cpus.emplace_back();
  cpu = {.affinity = "3", .arch = CpuArch::x86_64, .vendor = "GenuineIntel", .name = "Xeon"};
  cpu.devices.push_back({.bus_id = {.device = 3}, .class_code = 0x020000});
  cpu.devices[0].nets.push_back({.name = "eth0", .state = "ACTIVE"});
  return system;
}

// A GPU that trained down behind a chain of switches, a NIC of two ports of which one is down, and
// one whose place nobody tells.
inline System worn_machine() {
  System system{.name = "worn", .source = "a test"};
  Cpu& cpu = system.cpus.emplace_back();
  cpu = {.affinity = "ff0000,000000ff", .arch = CpuArch::x86_64, .vendor = "GenuineIntel"};
  cpu.family = 6;
  cpu.model = 143;
  PciDevice gpu{
      .bus_id = {.bus = 3}, .link = {"16.0 GT/s PCIe", 8}, .gpu = Gpu{.dev = 0, .sm = 90}};
  gpu.max_link = {"32.0 GT/s PCIe", 16};
  gpu.gpu->nvlinks = {{.target = "0000:c1:00.0", .count = 17, .tclass = 0x068000, .capacity = 18}};
  PciDevice nic{.bus_id = {.bus = 4}, .link = {"32.0 GT/s PCIe", 16}};
  nic.nets = {{.name = "mlx5_0", .speed_mbps = 400000, .link_layer = "InfiniBand"},
              {.name = "mlx5_1", .port = 2, .state = "DOWN (Polling)"}};
  PciDevice lower{.bus_id = {.bus = 2}, .link = {"32.0 GT/s PCIe", 16}, .children = {gpu}};
  cpu.devices.push_back(
      {.bus_id = {.bus = 1}, .link = {"32.0 GT/s PCIe", 16}, .children = {lower, nic}});
  cpu.nets = {{.name = "eth9", .speed_mbps = 2500}};
  return system;
}

// Every text that a source may set tries to leave its place in a terminal, XML or Graphviz.
inline System hostile_machine() {
  const std::string text = "<a>&\"'\\\n\x1b[31m\xff";
  System system{.name = text, .source = text, .unseen = {text}};
  Cpu& cpu = system.cpus.emplace_back();
  cpu = {.affinity = text, .vendor = text, .name = text};
  PciDevice gpu{.bus_id = {.bus = 1}, .link = {text, 16}, .name = text, .gpu = Gpu{.dev = 0}};
  gpu.gpu->model = gpu.gpu->gcn = text;
  gpu.gpu->nvlinks = {{.target = text, .count = 2}};
  PciDevice nic{.bus_id = {.bus = 2}, .max_link = {text, 16}};
  nic.nets = {{.name = text, .link_layer = text, .state = text, .netdev = text}};
  cpu.devices = {gpu, nic};
  return system;
}

inline std::size_t times_in(std::string_view text, std::string_view part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

}  // namespace linerate::topo
