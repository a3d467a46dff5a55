// PCI links of GPUs and NICs that are too slow for them, in files that tell no maximum.
#include "topo/lint/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace linerate::topo::rules {
namespace {

// degraded-link tells it where both are known.
bool knows_maximum(const PciDevice& device) {
  return gigatransfers_of(device.max_link.speed) > 0 && device.max_link.width > 0;
}

bool is_first_generation(const PciDevice& device) {
  return pcie_generation(device.link.speed) == 1;
}

Finding slow_gpu(const GpuAt& gpu, const std::vector<GpuAt>& gpus, double best) {
  const auto as_fast = std::ranges::count_if(gpus, [&](const GpuAt& other) {
    return are_alike(gpu, other) && pci_gbps(other.device->link) == best;
  });
  const double own = pci_gbps(gpu.device->link);
  const auto others =
      own < best ? fmt::format("; {} of its model have {:.3g} GB/s", as_fast, best) : std::string();
  return {.subject = name_of(*gpu.device),
          .evidence = fmt::format("Its PCI link is {}, {:.3g} GB/s{}.", link_text(gpu.device->link),
                                  own, others),
          .advice = fmt::format(
              "See with lspci -vv what the link is while the GPU works: an idle one slows it down. "
              "If it stays, reseat the {}, and look for PCIe errors in the kernel's log.",
              gpu_model_of(gpu.device->vendor, gpu.device->device).links > 0 ? "module" : "card")};
}

}  // namespace

std::vector<Finding> slow_gpu_link(const System& system) {
  const auto gpus = gpus_of(system);
  std::vector<Finding> findings;
  for (const auto& gpu : gpus) {
    const auto& link = gpu.device->link;
    if (knows_maximum(*gpu.device) || !knows_pci_speed(link.speed)) continue;
    double best = pci_gbps(link);
    for (const auto& other : gpus)
      if (are_alike(gpu, other)) best = std::max(best, pci_gbps(other.device->link));
    if (2 * pci_gbps(link) < best || is_first_generation(*gpu.device))
      findings.push_back(slow_gpu(gpu, gpus, best));
  }
  return findings;
}

namespace {

// Boards are made with half: a NIC of one generation in a slot of the one before.
constexpr double kTooNarrow = 0.45;

struct NarrowNic {
  const PciDevice* device = nullptr;
  double ports_gbps = 0, link_gbps = 0;
};

// Of the ports that are up and tell a speed that there is. 10 Gb/s is what NCCL says of sockets
// whose speed it does not know (src/misc/socket.cc): no NIC for GPUs is as slow.
double ports_gbps(const PciDevice& device) {
  constexpr double kGuessedMbps = 10000;
  double gbps = 0;
  for (const auto& net : device.nets)
    if (is_up(net) && has_speed(net) && net.speed_mbps > kGuessedMbps) gbps += net_gbps(net);
  return gbps;
}

bool is_known(const PciDevice& device) {
  return knows_pci_speed(device.link.speed) && device.link.width > 0 && !is_degraded(device);
}

std::string peers_text(const NarrowNic& nic, const System& system) {
  int wider = 0;
  double gbps = 0;
  walk_devices(system, [&](const Cpu&, const PciDevice& other, int) {
    const bool alike = other.vendor == nic.device->vendor && other.device == nic.device->device &&
                       !other.nets.empty() && other.device != 0;
    if (!alike || pci_gbps(other.link) <= nic.link_gbps) return;
    ++wider;
    gbps = std::max(gbps, pci_gbps(other.link));
  });
  return wider > 0 ? fmt::format("; {} of its model have up to {:.3g} GB/s", wider, gbps) : "";
}

}  // namespace

std::vector<Finding> narrow_nic(const System& system) {
  std::vector<Finding> findings;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (device.nets.empty() || !is_known(device)) return;
    const NarrowNic nic{&device, ports_gbps(device), pci_gbps(device.link)};
    if (nic.link_gbps >= kTooNarrow * nic.ports_gbps) return;
    findings.push_back(
        {.subject = name_of(device),
         .evidence = fmt::format(
             "Its ports could do {:.3g} GB/s, and its PCI link, {}, passes {:.3g} "
             "GB/s{}.",
             nic.ports_gbps, link_text(device.link), nic.link_gbps, peers_text(nic, system)),
         .advice = "Reseat the card, see that its slot has all lanes, and check the slot's setting "
                   "in the firmware."});
  });
  return findings;
}

}  // namespace linerate::topo::rules
