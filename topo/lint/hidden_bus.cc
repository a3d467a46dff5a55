// Virtual machines that show devices without the switches that they stand below.
#include "topo/lint/rules.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace linerate::topo::rules {
namespace {

bool has_switch(const System& system) {
  bool found = false;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    found = found || !device.children.empty();
  });
  return found;
}

// How the bus of a virtual machine shows itself; empty: nothing speaks for one. A card never sits
// on a real machine's first bus, and never has a domain to itself.
std::string_view sign_of(const std::vector<GpuAt>& gpus) {
  std::set<std::uint32_t> domains;
  for (const auto& gpu : gpus) domains.insert(gpu.device->bus_id.domain);
  if (domains.size() == gpus.size()) return "each in a PCI domain of its own";
  const bool on_root =
      std::ranges::all_of(gpus, [](const GpuAt& gpu) { return gpu.device->bus_id.bus == 0; });
  return on_root ? "all on the first PCI bus" : "";
}

}  // namespace

std::vector<Finding> hidden_bus(const System& system) {
  const auto gpus = gpus_of(system);
  if (gpus.size() < 2 || has_switch(system)) return {};
  const auto sign = sign_of(gpus);
  if (sign.empty()) return {};
  return {{.subject = "the PCI bus",
           .evidence =
               fmt::format("{} GPUs stand below no switch, {}: a virtual machine that hides its "
                           "bus. NCCL sees PHB between every GPU and NIC, too far for "
                           "GPUDirect.",
                           gpus.size(), sign),
           .advice = "Give NCCL the provider's topology file of this machine type by "
                     "NCCL_TOPO_FILE."}};
}

std::vector<Finding> unknown_memory_node(const System& system) {
  if (system.cpus.size() < 2) return {};
  std::vector<Finding> findings;
  for (const auto& cpu : system.cpus) {
    if (cpu.numa >= 0 || cpu.devices.empty()) continue;
    std::size_t devices = 0;
    for (const auto& top : cpu.devices)
      walk(top, [&](const PciDevice& device, int) {
        devices += device.gpu || !device.nets.empty() ? 1 : 0;
      });
    findings.push_back(
        {.subject = one_of(devices, cpu.devices.front()),
         .evidence =
             fmt::format("{} GPUs and NICs name no memory node, of {}: NCCL puts them at a "
                         "processor of their own, numaid -1, and binds no thread near them.",
                         devices, system.cpus.size() - 1),
         .advice = "Set the memory nodes of the devices in the virtual machine's definition, or "
                   "give NCCL a topology file with the right numaid by NCCL_TOPO_FILE."});
  }
  return findings;
}

}  // namespace linerate::topo::rules
