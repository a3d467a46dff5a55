// Each source has its reader; nodes of a cluster that are like this machine are detected.
#include "commands/load_machine.h"

#include "base/text.h"
#include "topo/cluster/nvlink_domain.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/detect.h"
#include "topo/detect/hwloc_system.h"
#include "topo/detect/nccl_merge.h"
#include "topo/read/nccl_xml.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace linerate {

using topo::System;

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

// What the source could not tell; and, between nodes, which NICs have the speed that NCCL guesses.
// A sentence each.
std::vector<std::string> caveats_of_node(const topo::System& system, bool between_nodes) {
  auto caveats = system.unseen;
  const auto ports = ports_without_speed(system);
  if (between_nodes && !ports.empty()) caveats.push_back(guess_text(ports));
  return caveats;
}

}  // namespace

namespace {

Result<System> load_file(const std::string& path, const std::string& platform) {
  auto file = topo::load_nccl_xml(path);
  if (!file || platform.empty()) return file;
  auto like = topo::built_in_platform(platform);
  if (!like) return like;
  return topo::completed_as_platform(std::move(file).value(), std::move(like).value());
}

Result<System> load_one(const MachineChoice& choice) {
  switch (choice.source) {
    case MachineSource::nccl_file:
      return load_file(choice.name, choice.platform);
    case MachineSource::platform:
      return topo::built_in_platform(choice.name);
    case MachineSource::this_machine:
      return topo::detect();
    case MachineSource::saved_root:
      if (!std::filesystem::is_directory(choice.name))
        return Failure{fmt::format("--root: there is no folder {}.", choice.name)};
      return topo::detect({.root = choice.name});
    case MachineSource::hwloc_file:
      return topo::load_hwloc_xml(choice.name);
    case MachineSource::cluster:
      break;
  }
  __builtin_unreachable();
}

}  // namespace

Result<System> load_machine(const MachineChoice& choice) {
  auto host = load_one(choice);
  if (!host || choice.nvlink_domain == 1) return host;
  return topo::in_one_domain(*host, choice.nvlink_domain);
}

Result<topo::Cluster> load_cluster(const MachineChoice& choice) {
  assert(choice.source == MachineSource::cluster);
  return topo::read_cluster(choice.name,
                            []() -> Result<System> { return topo::nccl_view(topo::detect()); });
}

System as_nccl_takes(const MachineChoice& choice, const System& system) {
  const bool detected = choice.source == MachineSource::this_machine ||
                        choice.source == MachineSource::saved_root ||
                        choice.source == MachineSource::hwloc_file;
  return detected ? topo::nccl_view(system) : system;
}

std::vector<std::string> caveats_about(const topo::Cluster& cluster, int nnodes) {
  std::vector<std::string> all;
  int first = 0;  // node of the group
  for (const auto& group : cluster.groups) {
    if (first >= nnodes) break;
    first += group.count;
    for (auto& sentence : caveats_of_node(*group.system, nnodes > 1))
      if (std::ranges::count(all, sentence) == 0) all.push_back(std::move(sentence));
  }
  return all;
}

void print_caveats(const std::vector<std::string>& caveats) {
  for (const auto& sentence : caveats)
    fmt::print(stderr, "linerate: not seen: {}\n", plain_text(sentence));
}

std::string several_kinds(const topo::Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& group : cluster.groups)
    if (std::ranges::count(names, group.topology) == 0) names.push_back(group.topology);
  return fmt::format("--cluster: its nodes are of several kinds ({})", fmt::join(names, ", "));
}

std::string more_than_it_has(const topo::Cluster& cluster, int nnodes) {
  return fmt::format("--nodes {} is more than the cluster has: give at most {}.", nnodes,
                     cluster.nnodes());
}

}  // namespace linerate
