// PCI links: trained below their maximum, of a speed that NCCL does not know, or too narrow for
// what stands below them.
#include "topo/lint/rules.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linerate::topo::rules {

// NCCL counts the maximum, of all but GPUs, and plans with bandwidth that is not there.
std::vector<Finding> degraded_link(const System& system) {
  std::vector<Finding> findings;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (!is_degraded(device) || is_idle(device)) return;
    const double now = pci_gbps(device.link), most = pci_gbps(device.max_link);
    findings.push_back(
        {.subject = name_of(device),
         .evidence =
             fmt::format("Its link is trained to {}, and could be {}: {:.3g} of {:.3g} GB/s, "
                         "{:.3g} GB/s are lost.",
                         link_text(device.link), link_text(device.max_link), now, most, most - now),
         .advice = device.gpu ? "Look again while the GPU works; if it stays, reseat the card, "
                                "and look for PCIe errors in the kernel's log."
                              : "Reseat the card or its riser, look for PCIe errors in the "
                                "kernel's log, and check the slot's setting in the firmware."});
  });
  return findings;
}

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

// A text that NCCL's table lacks: it counts Gen3, whatever it says. Virtual machines tell none.
std::vector<Finding> unknown_link_speed(const System& system) {
  std::map<std::pair<std::string, int>, std::vector<const PciDevice*>> by_link;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (has_link(device) && !knows_pci_speed(device.link.speed))
      by_link[{device.link.speed, device.link.width}].push_back(&device);
  });
  std::vector<Finding> findings;
  findings.reserve(by_link.size());
  for (const auto& [link, devices] : by_link)
    findings.push_back(
        {.severity = link.first.empty() ? Severity::info : Severity::warning,
         .subject = one_of(devices.size(), *devices.front()),
         .evidence =
             fmt::format("The speed of the PCI link is {}: {} takes it for Gen3, {:.3g} GB/s.",
                         link.first.empty() ? "not told" : "'" + link.first + "'",
                         library_of(system), pci_gbps({.speed = link.first, .width = link.second})),
         .advice = advice_for(link.first)});
  return findings;
}

namespace {

// Boards are made with half: a switch of one generation with devices of the next one.
constexpr double kTooSlow = 0.5;

// What a device could move, and which one.
struct Need {
  double gbps = 0;
  const PciDevice* device = nullptr;
};

// A link as it could be: of what it lost degraded-link tells.
double link_gbps(const PciDevice& device) {
  return pci_gbps(gigatransfers_of(device.max_link.speed) > 0 ? device.max_link : device.link);
}

double own_gbps(const PciDevice& device) {
  if (device.gpu) return link_gbps(device);
  double ports = 0;
  for (const auto& net : device.nets)
    if (is_up(net)) ports += net_gbps(net);
  return std::min(ports, link_gbps(device));
}

struct Bridge {
  const PciDevice* device = nullptr;
  Need most{};
  int depth = 0;  // below the processor

  bool is_slow() const { return link_gbps(*device) < kTooSlow * most.gbps; }
};

// What the device and those below it need at most of the link above, each no more than the
// switches on its way let pass; adds the switches on it.
Need most_needed(const PciDevice& device, std::vector<Bridge>& bridges, int depth = 0) {
  Need most{own_gbps(device), &device};
  for (const auto& child : device.children)
    if (const auto need = most_needed(child, bridges, depth + 1); need.gbps > most.gbps)
      most = need;
  if (most.device == &device || !knows_pci_speed(device.link.speed)) return most;
  bridges.push_back({&device, most, depth});
  most.gbps = std::min(most.gbps, link_gbps(device));
  return most;
}

// Where all of a kind are as slow, the switches are described so: some show links that they do not
// have.
Severity severity_of(const std::vector<Bridge>& slow, const std::vector<Bridge>& bridges) {
  const auto& one = slow.front();
  const auto like = std::ranges::count_if(bridges, [&](const Bridge& other) {
    return other.device->vendor == one.device->vendor &&
           other.device->device == one.device->device && other.depth == one.depth &&
           other.most.gbps == one.most.gbps;
  });
  return slow.size() > 1 && std::ssize(slow) == like ? Severity::info : Severity::warning;
}

Finding finding_of(const std::vector<Bridge>& alike, Severity severity) {
  const auto* const bridge = alike.front().device;
  const auto& most = alike.front().most;
  return {.severity = severity,
          .subject = one_of(alike.size(), *bridge),
          .evidence = fmt::format(
              "Its link upwards is {}, {:.3g} GB/s; {}, below it, could use {:.3g} "
              "GB/s.",
              link_text(bridge->link), link_gbps(*bridge), name_of(*most.device), most.gbps),
          .advice =
              "See with lspci -vv what the link is trained to. If it is faster, correct "
              "link_speed and link_width in the topology file; else check the slot and its "
              "setting in the firmware."};
}

}  // namespace

// A switch whose link upwards has less than half of what one device below it could use.
std::vector<Finding> slow_uplink(const System& system) {
  std::vector<Bridge> bridges;
  for (const auto& cpu : system.cpus)
    for (const auto& device : cpu.devices) (void)most_needed(device, bridges);
  std::map<std::pair<double, double>, std::vector<Bridge>> by_speeds;
  for (const auto& one : bridges)
    if (one.is_slow()) by_speeds[{link_gbps(*one.device), one.most.gbps}].push_back(one);
  std::vector<Finding> findings;
  findings.reserve(by_speeds.size());
  for (const auto& [speeds, alike] : by_speeds)
    findings.push_back(finding_of(alike, severity_of(alike, bridges)));
  return findings;
}

}  // namespace linerate::topo::rules
