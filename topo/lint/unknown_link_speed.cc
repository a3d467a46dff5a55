// The text of a PCI link's speed that NCCL's table lacks: it counts Gen3, whatever it says.
#include "topo/lint/rules.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace linerate::topo::rules {
namespace {

// Paravirtual devices have no PCI link, and NCCL looks for none.
bool has_link(const PciDevice& device) { return device.vendor != kVirtioVendor; }

std::string advice_for(const std::string& speed) {
  const double rate = gigatransfers_of(speed);
  for (const auto& known : kPcieGenerations)
    if (known.gigatransfers == rate)
      return fmt::format("Write link_speed=\"{}\" in the topology file.", known.text);
  return "Write the speed in the topology file as sysfs does, \"32.0 GT/s PCIe\" for Gen5.";
}

}  // namespace

std::vector<Finding> unknown_link_speed(const System& system) {
  std::map<std::pair<std::string, int>, std::vector<const PciDevice*>> by_link;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (has_link(device) && !knows_pci_speed(device.link.speed))
      by_link[{device.link.speed, device.link.width}].push_back(&device);
  });
  std::vector<Finding> findings;
  findings.reserve(by_link.size());
  for (const auto& [link, devices] : by_link)
    findings.push_back({.subject = one_of(devices.size(), *devices.front()),
                        .evidence = fmt::format(
                            "The speed of the PCI link is {}: NCCL takes it for Gen3, {:.3g} GB/s.",
                            link.first.empty() ? "not told" : "'" + link.first + "'",
                            pci_gbps({.speed = link.first, .width = link.second})),
                        .advice = advice_for(link.first)});
  return findings;
}

}  // namespace linerate::topo::rules
