// Nodes beside each other: what most of those with the same GPUs have is what each should have.
#include "topo/lint/lint.h"
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

using rules::gpus_of;
using rules::used_ports_of;

// One thing that nodes should have in common, and what one of them has of it.
struct Trait {
  std::string_view what;
  std::string value{};
};

// "8 x 400 Gb/s", "4 x 200 Gb/s, 4 x 400 Gb/s"; "none".
std::string counted_values(const std::vector<std::string>& values) {
  std::map<std::string, int> counts;
  for (const auto& value : values) ++counts[value];
  std::vector<std::string> parts;
  for (const auto& [value, count] : counts) parts.push_back(fmt::format("{} x {}", count, value));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

template <typename Each, typename Tell>
std::string told_of(const Each& each, const Tell& tell) {
  std::vector<std::string> values;
  for (const auto& one : each) values.push_back(tell(one));
  return counted_values(values);
}

std::string pci_text(const PciDevice& device) {
  return fmt::format("{:.3g} GB/s", pci_gbps(device.link));
}

std::string model_of(const PciDevice& device) {
  const auto& gpu = *device.gpu;
  if (!gpu.model.empty()) return gpu.model;
  if (device.device != 0) return fmt::format("{:04x}:{:04x}", device.vendor, device.device);
  return gpu.gcn.empty() ? fmt::format("sm_{}", gpu.sm) : std::string(architecture_of(gpu));
}

// Of which GPUs a node has, it is or is not to be compared with others.
std::set<std::string> models_of(const System& system) {
  std::set<std::string> models;
  for (const auto& gpu : gpus_of(system)) models.insert(model_of(*gpu.device));
  return models;
}

std::vector<Trait> traits_of(const System& system) {
  const auto gpus = gpus_of(system);
  const auto ports = used_ports_of(system);
  std::vector<std::string> nic_links;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (!device.nets.empty()) nic_links.push_back(pci_text(device));
  });
  return {
      {"GPUs", fmt::format("{}", gpus.size())},
      {"links of each GPU", told_of(gpus,
                                    [](const auto& gpu) {
                                      return fmt::format("{}", active_nvlinks(*gpu.device->gpu));
                                    })},
      {"PCI links of GPUs", told_of(gpus, [](const auto& gpu) { return pci_text(*gpu.device); })},
      {"NIC ports", told_of(ports,
                            [](const auto& port) {
                              return fmt::format("{:.6g} Gb/s", port.net->speed_mbps / 1000);
                            })},
      {"PCI links of NICs", counted_values(nic_links)},
      {"ports with GPUDirect",
       told_of(ports,
               [](const auto& port) { return std::string(port.net->gdr ? "with" : "without"); })},
      {"processors", told_of(system.cpus,
                             [](const Cpu& cpu) {
                               return fmt::format("{} family {} model {}", cpu.vendor, cpu.family,
                                                  cpu.model);
                             })},
      {"driver", system.driver.empty() ? "not known" : system.driver},
  };
}

struct Compared {
  const LintedNode* node = nullptr;
  std::vector<Trait> traits{};
};

int nodes_in(const std::vector<Compared>& nodes) {
  int count = 0;
  for (const auto& one : nodes) count += one.node->count;
  return count;
}

// The value that most nodes have, and how many; of several such the first node's.
std::pair<std::string, int> usual(const std::vector<Compared>& nodes, std::size_t trait) {
  std::map<std::string, int> counts;
  for (const auto& one : nodes) counts[one.traits[trait].value] += one.node->count;
  std::pair<std::string, int> best{};
  for (const auto& one : nodes)
    if (const int count = counts[one.traits[trait].value]; count > best.second)
      best = {one.traits[trait].value, count};
  return best;
}

void compare(const std::vector<Compared>& nodes, std::vector<Finding>& findings) {
  for (const auto& one : nodes)
    for (std::size_t trait = 0; trait < one.traits.size(); ++trait) {
      const auto [value, count] = usual(nodes, trait);
      if (one.traits[trait].value == value) continue;
      findings.push_back(
          {.rule = "unlike-node",
           .subject = one.node->name,
           .evidence = fmt::format("{}: {}; {} of {} nodes have {}.", one.traits[trait].what,
                                   one.traits[trait].value, count, nodes_in(nodes), value),
           .advice = "A job is as fast as its slowest node: bring it in line, or leave it out."});
    }
}

}  // namespace

std::vector<Finding> unlike_nodes(std::span<const LintedNode> nodes) {
  std::map<std::set<std::string>, std::vector<Compared>> by_models;
  std::vector<Finding> findings;
  for (const auto& node : nodes)
    by_models[models_of(*node.system)].push_back({&node, traits_of(*node.system)});
  for (const auto& [models, alike] : by_models) compare(alike, findings);
  if (by_models.size() < 2) return findings;
  std::vector<std::string> kinds;
  for (const auto& [models, alike] : by_models)
    kinds.push_back(
        fmt::format("{} with {}", nodes_in(alike),
                    models.empty() ? "no GPU" : fmt::format("{}", fmt::join(models, ", "))));
  findings.push_back(
      {.rule = "unlike-node",
       .severity = Severity::info,
       .subject = "the nodes",
       .evidence = fmt::format("They have different GPUs: {}.", fmt::join(kinds, "; ")),
       .advice = "A job over all of them is as fast as the slowest kind."});
  return findings;
}

}  // namespace linerate::topo
