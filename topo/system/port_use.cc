#include "topo/system/port_use.h"

#include "topo/system/link_speed.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <cassert>

namespace linerate::topo {
namespace {

bool is_over_infiniband(const Net& net) { return net.name.starts_with("ib"); }

}  // namespace

PortUse::PortUse(const System& system) : all_(system.has_nccl_ports) {
  const auto look_at = [&](const std::vector<Net>& nets) {
    for (const auto& net : nets) {
      verbs_ = verbs_ || (is_up(net) && is_verbs(net));
      over_infiniband_ = over_infiniband_ || (is_up(net) && is_over_infiniband(net));
    }
  };
  for (const auto& cpu : system.cpus) look_at(cpu.nets);
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) { look_at(device.nets); });
}

bool PortUse::takes(const Net& net) const {
  if (!is_up(net)) return false;
  if (all_) return true;
  return verbs_ ? is_verbs(net) : !over_infiniband_ || is_over_infiniband(net);
}

std::string PortUse::why_not(const Net& net) const {
  assert(!takes(net));
  if (!is_up(net)) return fmt::format("the port is {}", net.state);
  return verbs_ ? "an InfiniBand or RoCE port is up, and it uses these alone"
                : "an interface over InfiniBand is up, and it prefers these";
}

}  // namespace linerate::topo
