#include "topo/lint/lint.h"

#include "topo/lint/rules.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::array kRules{
    LintRule{"missing-gpu", rules::missing_gpu},
    LintRule{"degraded-link", rules::degraded_link},
    LintRule{"slow-gpu-link", rules::slow_gpu_link},
    LintRule{"narrow-nic", rules::narrow_nic},
    LintRule{"unknown-link-speed", rules::unknown_link_speed},
    LintRule{"slow-uplink", rules::slow_uplink},
    LintRule{"no-nvlink", rules::no_nvlink},
    LintRule{"fewer-nvlinks", rules::fewer_nvlinks},
    LintRule{"gpudirect-off", rules::gpudirect_off},
    LintRule{"far-nic", rules::far_nic},
    LintRule{"hidden-bus", rules::hidden_bus},
    LintRule{"unknown-memory-node", rules::unknown_memory_node},
    LintRule{"inactive-port", rules::inactive_port},
    LintRule{"slower-port", rules::slower_port},
    LintRule{"unknown-port-speed", rules::unknown_port_speed},
    LintRule{"slow-network", rules::slow_network},
};

}  // namespace

std::span<const LintRule> lint_rules() { return kRules; }

bool LintReport::has_warning() const {
  return std::ranges::any_of(
      lines, [](const Line& line) { return line.finding.severity == Severity::warning; });
}

LintReport lint_nodes(std::span<const LintedNode> nodes) {
  const bool alone = nodes.size() == 1 && nodes.front().count == 1;
  LintReport report;
  for (const auto& node : nodes) {
    for (auto& finding : lint(*node.system)) {
      if (!alone && finding.rule == "slow-network") finding.severity = Severity::warning;
      report.lines.push_back({nodes.size() == 1 ? "" : node.name, std::move(finding)});
    }
    for (const auto& sentence : node.system->unseen)
      if (std::ranges::count(report.unseen, sentence) == 0) report.unseen.push_back(sentence);
  }
  for (auto& finding : unlike_nodes(nodes)) report.lines.push_back({"", std::move(finding)});
  return report;
}

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

std::vector<PortAt> used_ports_of(const System& system) {
  const PortUse use(system);
  auto ports = ports_of(system);
  std::erase_if(ports, [&](const PortAt& port) { return !use.takes(*port.net); });
  return ports;
}

bool are_alike(const GpuAt& a, const GpuAt& b) {
  return a.device->vendor == b.device->vendor && a.device->device == b.device->device &&
         a.device->gpu->sm == b.device->gpu->sm && a.device->gpu->gcn == b.device->gpu->gcn;
}

bool are_alike(const PortAt& a, const PortAt& b) {
  return a.device != nullptr && b.device != nullptr && a.device->vendor == b.device->vendor &&
         a.device->device == b.device->device && a.device->device != 0 &&
         a.net->link_layer == b.net->link_layer;
}

bool is_beside_gpu(const PortAt& port, const std::vector<GpuAt>& gpus) {
  return port.top != nullptr &&
         std::ranges::any_of(gpus, [&](const GpuAt& gpu) { return gpu.top == port.top; });
}

bool is_made_by_hand(const System& system) { return system.has_nccl_ports && !has_ranks(system); }

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
