// See topo_doubts.h.
#include "commands/topo_doubts.h"

#include "base/plain_text.h"
#include "topo/system/link_speed.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace linerate {
namespace {

std::vector<const topo::Net*> ports_without_speed(const topo::System& system) {
  std::vector<const topo::Net*> ports;
  const auto add = [&](const std::vector<topo::Net>& nets) {
    for (const auto& net : nets)
      if (net.speed_mbps <= 0) ports.push_back(&net);
  };
  topo::walk_devices(
      system, [&](const topo::Cpu&, const topo::PciDevice& device, int) { add(device.nets); });
  for (const auto& cpu : system.cpus) add(cpu.nets);
  return ports;
}

std::string guess_text(const std::vector<const topo::Net*>& ports) {
  const auto others = ports.size() - 1;
  return fmt::format("The speed of {}{} is not known: NCCL guesses {:.3g} GB/s.",
                     ports.front()->name, others > 0 ? fmt::format(" and {} more", others) : "",
                     topo::net_gbps(*ports.front()));
}

}  // namespace

std::vector<std::string> doubts_about(const topo::System& system, bool between_nodes) {
  auto doubts = system.unseen;
  const auto ports = ports_without_speed(system);
  if (between_nodes && !ports.empty()) doubts.push_back(guess_text(ports));
  return doubts;
}

std::vector<std::string> doubts_about(const topo::Cluster& cluster, int nnodes) {
  std::vector<std::string> all;
  int first = 0;  // node of the group
  for (const auto& group : cluster.groups) {
    if (first >= nnodes) break;
    first += group.count;
    for (auto& sentence : doubts_about(*group.system, nnodes > 1))
      if (std::ranges::count(all, sentence) == 0) all.push_back(std::move(sentence));
  }
  return all;
}

void tell_doubts(const std::vector<std::string>& doubts) {
  for (const auto& sentence : doubts)
    fmt::print(stderr, "linerate: not seen: {}\n", plain_text(sentence));
}

}  // namespace linerate
