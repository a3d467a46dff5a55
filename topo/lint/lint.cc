#include "topo/lint/lint.h"

#include "topo/lint/rules.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::array kRules{
    LintRule{"degraded-link", rules::degraded_link},
    LintRule{"unknown-link-speed", rules::unknown_link_speed},
    LintRule{"slow-uplink", rules::slow_uplink},
    LintRule{"no-nvlink", rules::no_nvlink},
    LintRule{"fewer-nvlinks", rules::fewer_nvlinks},
    LintRule{"far-nic", rules::far_nic},
    LintRule{"hidden-bus", rules::hidden_bus},
    LintRule{"unknown-memory-node", rules::unknown_memory_node},
    LintRule{"inactive-port", rules::inactive_port},
    LintRule{"slower-port", rules::slower_port},
    LintRule{"unknown-port-speed", rules::unknown_port_speed},
};

}  // namespace

std::span<const LintRule> lint_rules() { return kRules; }

std::vector<Finding> lint(const System& system) {
  std::vector<Finding> all;
  for (const auto& rule : kRules)
    for (auto& finding : rule.findings(system)) {
      finding.rule = rule.name;
      all.push_back(std::move(finding));
    }
  return all;
}

}  // namespace linerate::topo

namespace linerate::topo::rules {

std::vector<GpuAt> gpus_of(const System& system) {
  std::vector<GpuAt> gpus;
  for (const auto& cpu : system.cpus)
    for (const auto& top : cpu.devices)
      walk(top, [&](const PciDevice& device, int) {
        if (device.gpu) gpus.push_back({.cpu = &cpu, .top = &top, .device = &device});
      });
  return gpus;
}

std::vector<PortAt> ports_of(const System& system) {
  std::vector<PortAt> ports;
  for (const auto& cpu : system.cpus) {
    for (const auto& top : cpu.devices)
      walk(top, [&](const PciDevice& device, int) {
        for (const auto& net : device.nets)
          ports.push_back({.cpu = &cpu, .top = &top, .device = &device, .net = &net});
      });
    for (const auto& net : cpu.nets) ports.push_back({.cpu = &cpu, .net = &net});
  }
  return ports;
}

std::string name_of(const PciDevice& device) {
  const auto at = text_of(device.bus_id);
  if (device.gpu)
    return device.gpu->dev < 0 ? fmt::format("the GPU at {}", at)
                               : fmt::format("GPU {} at {}", device.gpu->dev, at);
  if (!device.nets.empty()) return fmt::format("{} at {}", device.nets.front().name, at);
  return fmt::format("the PCI switch at {}", at);
}

std::string one_of(std::size_t devices, const PciDevice& first) {
  return devices > 1 ? fmt::format("{} and {} more", name_of(first), devices - 1) : name_of(first);
}

std::string name_of(const Net& net) {
  return net.port == 1 ? net.name : fmt::format("{} port {}", net.name, net.port);
}

std::string link_text(const PciLink& link) {
  return fmt::format("{} x{}", link.speed.empty() ? "unknown speed" : link.speed, link.width);
}

}  // namespace linerate::topo::rules
