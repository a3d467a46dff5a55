// What the page of each rule shows: a healthy node of eight GPUs and eight NICs that is spoilt, and
// examined.
#include "record/findings.h"
#include "topo/cluster/platforms.h"
#include "topo/lint/rules.h"

#include <algorithm>
#include <array>
#include <utility>

namespace linerate::topo::rules {
namespace {

PciDevice& device_of(System& system, auto is_meant) {
  PciDevice* found = nullptr;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (is_meant(device)) found = &device;
  });
  return *found;
}

PciDevice& gpu(System& system, int dev) {
  return device_of(system, [&](auto& device) { return device.gpu && device.gpu->dev == dev; });
}

PciDevice& nic(System& system, std::string_view name) {
  return device_of(
      system, [&](auto& device) { return !device.nets.empty() && device.nets[0].name == name; });
}

// As a file of NCCL's has it: how links are trained, and not what they could be.
void forget_maxima(System& system) {
  walk_devices(system, [](Cpu&, PciDevice& device, int) { device.max_link = {}; });
}

void change_nets(System& system, void (*change)(Net& net)) {
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    for (auto& net : device.nets) change(net);
  });
}

struct Example {
  std::string_view rule;
  void (*spoil)(System& system);
};
constexpr auto kExamples = std::to_array<Example>({
    {"missing-gpu",
     [](System& system) {
       for (auto& cpu : system.cpus)
         for (auto& top : cpu.devices)
           std::erase_if(top.children,
                         [](auto& device) { return device.gpu && device.gpu->dev == 5; });
     }},
    {"degraded-link",
     [](System& system) {
       auto& device = nic(system, "mlx5_3");
       device.max_link = device.link;
       device.link.width = 4;
     }},
    {"slow-gpu-link",
     [](System& system) {
       forget_maxima(system);
       gpu(system, 4).link.speed = "2.5 GT/s PCIe";
     }},
    {"narrow-nic",
     [](System& system) {
       forget_maxima(system);

       nic(system, "mlx5_2").link = {"8.0 GT/s PCIe", 8};
     }},
    {"unknown-link-speed", [](System& system) { gpu(system, 0).link.speed = "32.0 GT/s"; }},
    {"slow-uplink",
     [](System& system) {
       forget_maxima(system);

       system.cpus[0].devices[1].link = {"8.0 GT/s PCIe", 16};
     }},
    {"no-nvlink", [](System& system) { gpu(system, 5).gpu->nvlinks.clear(); }},
    {"fewer-nvlinks", [](System& system) { --gpu(system, 1).gpu->nvlinks[0].count; }},
    {"gpudirect-off",
     [](System& system) {
       system.has_nccl_ports = true;
       walk_devices(system, [](Cpu&, PciDevice& device, int) {
         if (device.gpu) device.gpu->gdr = true;
       });
       change_nets(system, [](Net& net) { net.gdr = false; });
     }},
    {"far-nic",
     [](System& system) { nic(system, "mlx5_2").nets[0] = {.name = "eth0", .speed_mbps = 1000}; }},
    {"hidden-bus",
     [](System& system) {
       system = system_of({.switches = 0, .gpus = 4, .nics = 4});
       std::uint32_t domain = 0;
       walk_devices(system,
                    [&](Cpu&, PciDevice& device, int) { device.bus_id = {.domain = domain++}; });
     }},
    {"unknown-memory-node",
     [](System& system) {
       system.cpus.push_back({.numa = -1, .devices = std::move(system.cpus[1].devices)});
     }},
    {"inactive-port",
     [](System& system) { nic(system, "mlx5_2").nets[0].state = "DOWN (Polling)"; }},
    {"slower-port", [](System& system) { nic(system, "mlx5_6").nets[0].speed_mbps = 200000; }},
    {"unknown-port-speed", [](System& system) { nic(system, "mlx5_1").nets[0].speed_mbps = 0; }},
    {"slow-network",
     [](System& system) { change_nets(system, [](Net& net) { net.speed_mbps = 10000; }); }},
});

}  // namespace

std::string example_of(const LintRule& rule) {
  const auto example = std::ranges::find(kExamples, rule.name, &Example::rule);
  if (example == kExamples.end()) return {};
  auto system = system_of(NodeShape{});
  example->spoil(system);
  auto findings = rule.findings(system);
  if (findings.empty()) return {};
  findings[0].rule = rule.name;
  return finding_text(findings[0]);
}

}  // namespace linerate::topo::rules
