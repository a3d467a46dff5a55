// GPUs whose nearest NIC is farther away than that of most others.
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace linerate::topo::rules {
namespace {

enum class Distance : std::uint8_t { one_switch, one_processor, one_socket, other_socket };

struct Nearest {
  const PortAt* port = nullptr;
  Distance distance = Distance::other_socket;
};

Distance distance_between(const GpuAt& gpu, const PortAt& port) {
  if (gpu.cpu == port.cpu)
    return gpu.top == port.top ? Distance::one_switch : Distance::one_processor;
  const bool one_socket = gpu.cpu->package >= 0 && gpu.cpu->package == port.cpu->package;
  return one_socket ? Distance::one_socket : Distance::other_socket;
}

std::vector<PortAt> usable_ports(const System& system) {
  auto ports = used_ports_of(system);
  std::erase_if(ports, [](const PortAt& port) { return port.top == nullptr; });
  return ports;
}

// Whether there are enough NICs for each processor with GPUs to have one: a machine built with a
// single NIC is as it should be.
bool reach_everywhere(const std::vector<GpuAt>& gpus, const std::vector<PortAt>& ports) {
  std::set<const Cpu*> processors;
  for (const auto& gpu : gpus) processors.insert(gpu.cpu);
  std::set<const PciDevice*> nics;
  for (const auto& port : ports) nics.insert(port.device);
  return nics.size() >= processors.size();
}

Nearest nearest_of(const GpuAt& gpu, const std::vector<PortAt>& ports) {
  Nearest nearest;
  for (const auto& port : ports) {
    if (port.cpu->host_hash != gpu.cpu->host_hash) continue;
    const auto distance = distance_between(gpu, port);
    if (nearest.port != nullptr && distance >= nearest.distance) continue;
    nearest = {.port = &port, .distance = distance};
  }
  return nearest;
}

std::string_view distance_text(Distance distance) {
  constexpr std::array<std::string_view, 4> kWords{
      "below the same PCI switch", "at the same processor", "at another processor of the socket",
      "at another socket"};
  return kWords.at(static_cast<std::size_t>(distance));
}

struct Rank {                           // of a GPU among all
  std::size_t nearer = 0, farther = 0;  // GPUs whose NIC is nearer than its own; as far or farther
  const Nearest* usual = nullptr;       // of one that is nearer
};

// A GPU that alone has no NIC near it has lost one. Several are how the machine is built: NVLinks
// carry what others send for them (PXN), and rings leave a node only where the NICs are.
Severity severity_of(const Rank& rank) {
  constexpr std::size_t kFew = 3;
  return rank.farther == 1 && rank.nearer >= kFew ? Severity::warning : Severity::info;
}

std::string advice_for(const GpuAt& gpu, Severity severity) {
  if (severity == Severity::warning)
    return "See with lspci whether a NIC is missing there; else move one to a slot near the GPU.";
  const auto& links = *gpu.device->gpu;
  return active_nvlinks(links) > 0
             ? fmt::format("Its {}s lead to GPUs beside a NIC: nothing needs to be done.",
                           nvlink_word(links))
             : "Jobs of several nodes gain by a NIC near the GPU.";
}

Finding finding_of(const GpuAt& gpu, const Nearest& nearest, const Rank& rank) {
  const bool crosses = nearest.distance >= Distance::one_socket;
  const auto cost = crosses ? fmt::format(", over a link of {:.3g} GB/s",
                                          cpu_link_gbps(*gpu.cpu, kNewestModelled))
                            : std::string();
  const auto severity = severity_of(rank);
  return {.severity = severity,
          .subject = name_of(*gpu.device),
          .evidence = fmt::format("Its nearest NIC, {}, is {}{}; {} other GPUs have one {}.",
                                  name_of(*nearest.port->net), distance_text(nearest.distance),
                                  cost, rank.nearer, distance_text(rank.usual->distance)),
          .advice = advice_for(gpu, severity)};
}

}  // namespace

std::vector<Finding> far_nic(const System& system) {
  const auto gpus = gpus_of(system);
  const auto ports = usable_ports(system);
  if (!reach_everywhere(gpus, ports)) return {};
  std::vector<Nearest> nearest;
  nearest.reserve(gpus.size());
  for (const auto& gpu : gpus) nearest.push_back(nearest_of(gpu, ports));
  std::vector<Finding> findings;
  for (std::size_t n = 0; n < gpus.size(); ++n) {
    if (nearest[n].port == nullptr) continue;
    Rank rank;
    for (const auto& other : nearest) {
      const bool is_nearer = other.port != nullptr && other.distance < nearest[n].distance;
      ++(is_nearer ? rank.nearer : rank.farther);
      if (is_nearer) rank.usual = &other;
    }
    if (rank.nearer == 0 || 2 * rank.nearer < gpus.size()) continue;
    findings.push_back(finding_of(gpus[n], nearest[n], rank));
  }
  return findings;
}

}  // namespace linerate::topo::rules
