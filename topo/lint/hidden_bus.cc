// Virtual machines that show devices without the switches that they stand below.
#include "topo/lint/rules.h"
#include "topo/system/links.h"
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

// A provider's file without switches is what NCCL should have; and without NICs on the bus there is
// no GPUDirect to lose. RCCL knows such machines by tables of its own (src/graph/rome_models.cc).
std::vector<Finding> hidden_bus(const System& system) {
  const auto gpus = gpus_of(system);
  if (gpus.size() < 2 || has_switch(system) || is_made_by_hand(system)) return {};
  const auto sign = sign_of(gpus);
  if (sign.empty()) return {};
  const bool has_nics = std::ranges::any_of(
      used_ports_of(system), [](const PortAt& port) { return port.device != nullptr; });
  const bool loses_gdr = has_nics && !is_amd_gpu(*gpus.front().device);
  const auto library = library_of(system);
  return {{.severity = loses_gdr ? Severity::warning : Severity::info,
           .subject = "the PCI bus",
           .evidence =
               fmt::format("{} GPUs stand below no switch, {}: a virtual machine that hides "
                           "its bus. {} sees PHB between every GPU and NIC{}.",
                           gpus.size(), sign, library, loses_gdr ? ", too far for GPUDirect" : ""),
           .advice = fmt::format("Give {} the provider's topology file of this machine type by "
                                 "NCCL_TOPO_FILE{}.",
                                 library, loses_gdr ? "" : ", where there is one")}};
}

std::vector<Finding> unknown_memory_node(const System& system) {
  if (system.cpus.size() < 2) return {};
  std::vector<Finding> findings;
  for (const auto& cpu : system.cpus) {
    if (cpu.numa >= 0 || cpu.devices.empty()) continue;
    std::size_t devices = 0, gpus = 0;
    for (const auto& top : cpu.devices)
      walk(top, [&](const PciDevice& device, int) {
        devices += device.gpu || !device.nets.empty() ? 1 : 0;
        gpus += device.gpu ? 1 : 0;
      });
    findings.push_back(
        {.severity = gpus > 0 ? Severity::warning : Severity::info,
         .subject = one_of(devices, cpu.devices.front()),
         .evidence =
             fmt::format("{} GPUs and NICs name no memory node, of {}: {} puts them at a "
                         "processor of their own, numaid -1, and binds no thread near them.",
                         devices, system.cpus.size() - 1, library_of(system)),
         .advice = "Set the memory nodes of the devices in the virtual machine's definition, or "
                   "give a topology file with the right numaid by NCCL_TOPO_FILE."});
  }
  return findings;
}

}  // namespace linerate::topo::rules
