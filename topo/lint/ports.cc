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

// Storage and front-end ports stand apart from the GPUs, and have states and speeds of their own.
struct Peers {
  std::vector<const PortAt*> up{};  // of its model, beside GPUs as it is or not
  std::size_t as_slow = 0;          // of those, itself included
  const Net* fastest = nullptr;
};

Peers peers_of(const PortAt& port, const std::vector<PortAt>& ports,
               const std::vector<GpuAt>& gpus) {
  Peers peers{.fastest = port.net};
  for (const auto& other : ports) {
    const bool same_place = is_beside_gpu(port, gpus) == is_beside_gpu(other, gpus);
    if (!are_alike(port, other) || !is_up(*other.net) || !same_place) continue;
    if (!has_speed(*other.net)) continue;
    peers.up.push_back(&other);
    if (other.net->speed_mbps <= port.net->speed_mbps) ++peers.as_slow;
    if (other.net->speed_mbps > peers.fastest->speed_mbps) peers.fastest = other.net;
  }
  return peers;
}

bool is_switched_off(const Net& net) { return net.state.find("Disabled") != std::string::npos; }

}  // namespace

// A port without a cable is no fault, unless its like beside the other GPUs have one.
std::vector<Finding> inactive_port(const System& system) {
  auto ports = ports_of(system);
  const auto gpus = gpus_of(system);
  std::erase_if(ports, [](const PortAt& port) { return !is_verbs(*port.net); });
  const auto active =
      std::ranges::count_if(ports, [](const PortAt& port) { return is_up(*port.net); });
  std::vector<Finding> findings;
  for (const auto& port : ports) {
    if (is_up(*port.net)) continue;
    const bool stands_out =
        active == 0 || (is_beside_gpu(port, gpus) && !peers_of(port, ports, gpus).up.empty());
    findings.push_back(
        {.severity = stands_out && !is_switched_off(*port.net) ? Severity::warning : Severity::info,
         .subject = subject_of(port),
         .evidence = fmt::format("The port is {}; {} of {} InfiniBand and RoCE ports "
                                 "are ACTIVE. {}.",
                                 port.net->state, active, ports.size(), kLeftOut),
         .advice = advice_for_state(port.net->state)});
  }
  return findings;
}

std::vector<Finding> slower_port(const System& system) {
  const auto ports = ports_of(system);
  const auto gpus = gpus_of(system);
  std::vector<Finding> findings;
  for (const auto& port : ports) {
    if (!has_speed(*port.net) || !is_up(*port.net)) continue;
    const auto peers = peers_of(port, ports, gpus);
    const auto* const fastest = peers.fastest;
    if (fastest == port.net) continue;
    const bool stands_out = is_beside_gpu(port, gpus) && 2 * peers.as_slow <= peers.up.size();
    findings.push_back(
        {.severity = stands_out ? Severity::warning : Severity::info,
         .subject = subject_of(port),
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

// Virtual machines tell none, nor do providers' files, which leave it to the machine.
std::vector<Finding> unknown_port_speed(const System& system) {
  auto ports = used_ports_of(system);
  std::erase_if(ports, [](const PortAt& port) { return has_speed(*port.net); });
  if (ports.empty()) return {};
  const auto others = ports.size() - 1;
  const auto more = others > 0 ? fmt::format(" and {} more", others) : std::string();
  const auto& first = *ports.front().net;
  const auto told =
      first.speed_mbps > 0
          ? fmt::format("The port tells {:.6g} Gb/s, which none has: {} counts it.",
                        first.speed_mbps / 1000, library_of(system))
          : fmt::format(
                "The port tells no speed: {} counts 10 Gb/s, {:.3g} GB/s{}.", library_of(system),
                net_gbps(first),
                is_made_by_hand(system) ? ", unless it finds the speed on the machine" : "");
  return {
      {.severity = Severity::info,
       .subject = subject_of(ports.front()) + more,
       .evidence = told,
       .advice = is_made_by_hand(system)
                     ? "Nothing needs to be done where the port's driver tells it; for a "
                       "prediction give --platform beside the file."
                     : "For jobs on several nodes, measure what it reaches, and give a topology "
                       "file with its speed by NCCL_TOPO_FILE."}};
}

// A machine on its own may do without a fast network; nodes of a cluster may not, as
// unlike_nodes.cc tells of them.
std::vector<Finding> slow_network(const System& system) {
  constexpr double kSlowMbps = 25000;
  const auto ports = used_ports_of(system);
  const auto gpus = gpus_of(system);
  const auto fastest =
      std::ranges::max_element(ports, {}, [](const PortAt& port) { return port.net->speed_mbps; });
  if (gpus.size() < 2 || fastest == ports.end()) return {};
  if (!has_speed(*fastest->net) || fastest->net->speed_mbps >= kSlowMbps) return {};
  return {
      {.severity = Severity::info,
       .subject = subject_of(*fastest),
       .evidence =
           fmt::format("{} GPUs have no faster port to other nodes than this one of "
                       "{:.6g} Gb/s, {:.3g} GB/s.",
                       gpus.size(), fastest->net->speed_mbps / 1000, net_gbps(*fastest->net)),
       .advice = fmt::format("For jobs on several nodes, see why {} takes no faster NIC: whether "
                             "its driver is loaded, its ports are up and NCCL_IB_HCA allows it.",
                             library_of(system))}};
}

}  // namespace linerate::topo::rules
