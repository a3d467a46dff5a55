// A PCI link that trained below its maximum. NCCL counts the maximum, of all but GPUs, and plans
// with bandwidth that is not there.
#include "topo/lint/rules.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

namespace linerate::topo::rules {
namespace {

double lanes_rate(const PciLink& link) { return gigatransfers_of(link.speed) * link.width; }

bool is_degraded(const PciDevice& device) {
  const double now = lanes_rate(device.link), most = lanes_rate(device.max_link);
  return now > 0 && now < most && !is_idle(device);
}

}  // namespace

std::vector<Finding> degraded_link(const System& system) {
  std::vector<Finding> findings;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (!is_degraded(device)) return;
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

}  // namespace linerate::topo::rules
