#include "topo/cluster/nvlink_domain.h"

#include "base/text.h"
#include "topo/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate::topo {
namespace {

bool leads_to_switch(const Gpu& gpu) {
  return std::ranges::any_of(gpu.nvlinks,
                             [](const NvLink& link) { return link.tclass == kNvSwitchClass; });
}

// What no two hosts share. GUIDs begin with 32 bits of the maker.
void make_own(System& copy, int host, int gpus) {
  constexpr int kMakerBits = 32;
  for (auto& cpu : copy.cpus) cpu.host_hash = static_cast<std::uint64_t>(host) + 1;
  walk_devices(copy, [&](Cpu&, PciDevice& device, int) {
    if (device.gpu && device.gpu->rank >= 0) device.gpu->rank += host * gpus;
  });
  walk_ports(copy, [&](std::vector<Net>& nets) {
    for (auto& net : nets)
      if (net.guid != 0) net.guid += static_cast<std::uint64_t>(host) << kMakerBits;
  });
}

}  // namespace

System copies_of_host(const System& host, int hosts) {
  assert(hosts > 0);
  if (hosts == 1) return host;
  int gpus = 0;
  walk_devices(host, [&](const Cpu&, const PciDevice& device, int) { gpus += device.gpu ? 1 : 0; });
  System domain = host;
  domain.cpus.clear();
  for (int n = 0; n < hosts; ++n) {
    System copy = host;
    make_own(copy, n, gpus);
    std::ranges::move(copy.cpus, std::back_inserter(domain.cpus));
  }
  return domain;
}

Result<System> in_one_domain(const System& host, int hosts) {
  if (const auto own = hosts_of(host).size(); own > 1)
    return Failure{
        fmt::format("{} has {} hosts already: give the number of its GPUs in its name, or "
                    "one host.",
                    host.name.empty() ? host.source : host.name, own)};
  std::size_t gpus = 0, joined = 0;
  walk_devices(host, [&](const Cpu&, const PciDevice& device, int) {
    if (!device.gpu) return;
    ++gpus;
    joined += leads_to_switch(*device.gpu) ? 1 : 0;
  });
  if (gpus == 0 || joined < gpus)
    return Failure{
        fmt::format("{} has {}, and the NVLinks of {} lead to a switch: an NVLink domain joins "
                    "hosts over switches alone.",
                    host.name.empty() ? host.source : host.name, counted(gpus, "GPU"),
                    joined == 0 ? "none" : fmt::to_string(joined))};
  return copies_of_host(host, hosts);
}

}  // namespace linerate::topo
