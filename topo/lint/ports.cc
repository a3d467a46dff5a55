// Ports of NICs: down, slower than their like, of unknown speed.
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::topo::rules {
namespace {

std::string subject_of(const PortAt& port) {
  return port.device == nullptr
             ? name_of(*port.net)
             : fmt::format("{} at {}", name_of(*port.net), text_of(port.device->bus_id));
}

std::string advice_for_state(const std::string& state) {
  if (state.starts_with("INIT") || state.starts_with("ARMED"))
    return "The subnet manager has not set the port up: see that one runs on this fabric.";
  if (state.find("Disabled") != std::string::npos)
    return "The port is switched off: enable it, or leave it out with NCCL_IB_HCA.";
  return "Look at the cable and at the switch's port; leave a port that shall stay down out with "
         "NCCL_IB_HCA.";
}

bool are_alike(const PortAt& a, const PortAt& b) {
  return a.device != nullptr && b.device != nullptr && a.device->vendor == b.device->vendor &&
         a.device->device == b.device->device && a.device->device != 0 &&
         a.net->link_layer == b.net->link_layer;
}

}  // namespace

std::vector<Finding> inactive_port(const System& system) {
  auto ports = ports_of(system);
  std::erase_if(ports, [](const PortAt& port) { return !is_verbs(*port.net); });
  const auto active =
      std::ranges::count_if(ports, [](const PortAt& port) { return is_up(*port.net); });
  std::vector<Finding> findings;
  for (const auto& port : ports)
    if (!is_up(*port.net))
      findings.push_back(
          {.subject = subject_of(port),
           .evidence = fmt::format("The port is {}; {} of {} InfiniBand and RoCE ports "
                                   "are ACTIVE. {}.",
                                   port.net->state, active, ports.size(), kLeftOut),
           .advice = advice_for_state(port.net->state)});
  return findings;
}

std::vector<Finding> slower_port(const System& system) {
  const auto ports = ports_of(system);
  std::vector<Finding> findings;
  for (const auto& port : ports) {
    if (port.net->speed_mbps <= 0 || !is_up(*port.net)) continue;
    const Net* fastest = port.net;
    for (const auto& other : ports)
      if (are_alike(port, other) && is_up(*other.net) &&
          other.net->speed_mbps > fastest->speed_mbps)
        fastest = other.net;
    if (fastest == port.net) continue;
    findings.push_back(
        {.subject = subject_of(port),
         .evidence =
             fmt::format("The port runs at {:.6g} Gb/s; {}, of the same model, at {:.6g} Gb/s: "
                         "{:.3g} of {:.3g} GB/s.",
                         port.net->speed_mbps / 1000, name_of(*fastest), fastest->speed_mbps / 1000,
                         net_gbps(*port.net), net_gbps(*fastest)),
         .advice = "Look at the cable and its plugs, and at the speed that the switch's port is "
                   "set to."});
  }
  return findings;
}

std::vector<Finding> unknown_port_speed(const System& system) {
  auto ports = ports_of(system);
  const PortUse use(system);
  std::erase_if(
      ports, [&](const PortAt& port) { return !use.takes(*port.net) || port.net->speed_mbps > 0; });
  if (ports.empty()) return {};
  const auto others = ports.size() - 1;
  const auto more = others > 0 ? fmt::format(" and {} more", others) : std::string();
  return {{.subject = subject_of(ports.front()) + more,
           .evidence = fmt::format("The port tells no speed: NCCL counts 10 Gb/s, {:.3g} GB/s.",
                                   net_gbps(*ports.front().net)),
           .advice = "Measure what it reaches, and give NCCL a topology file with its speed by "
                     "NCCL_TOPO_FILE."}};
}

}  // namespace linerate::topo::rules
