#include "topo/show/fabric_text.h"

#include "topo/show/device_text.h"
#include "topo/show/facts.h"
#include "topo/show/text_layout.h"
#include "topo/system/link_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

// "18 NVLinks"; "17 of 18 NVLinks" where some are down.
std::string links_counted(const Gpu& gpu, int count) {
  const auto word = nvlink_word(gpu);
  if (lacks_nvlinks(gpu) && count == active_nvlinks(gpu))
    return fmt::format("{} of {}", count,
                       counted(static_cast<std::size_t>(nvlink_capacity(gpu)), word));
  return counted(static_cast<std::size_t>(count), word);
}

std::string to_switches(const Facts& facts, int gpu, const NvLinks& links) {
  const Gpu& device = *facts.graph().node(gpu).gpu;
  const int chips = nvswitches_of(device);
  return fmt::format("{} to {}, {} GB/s", links_counted(device, links.count),
                     chips == 0 ? "NVSwitch" : counted(static_cast<std::size_t>(chips), "NVSwitch"),
                     gbps_text(links.gbps));
}

// Peers with as many links each.
std::string to_peers(const Facts& facts, int gpu, const std::vector<NvLinks>& peers) {
  std::vector<std::string> names;
  names.reserve(peers.size());
  for (const auto& links : peers) names.push_back(facts.name(links.to));
  const bool many = peers.size() > 1;
  return fmt::format(
      "{}{} to {}, {} GB/s{}", links_counted(*facts.graph().node(gpu).gpu, peers[0].count),
      many ? " each" : "", names_in_short(names), gbps_text(peers[0].gbps), many ? " each" : "");
}

// GPUs behind the switches, the widest first, by their links.
struct SwitchSide {
  std::map<int, std::vector<std::string>, std::greater<>> names;  // by count of links
  std::map<int, double> gbps;
  std::set<int> hosts;
  int chips = 0;
};

SwitchSide switch_side(const Facts& facts) {
  SwitchSide side;
  for (const int gpu : facts.graph().of(NodeKind::gpu))
    for (const auto& links : facts.nvlinks(gpu)) {
      if (facts.graph().node(links.to).kind != NodeKind::nvs) continue;
      side.names[links.count].push_back(facts.name(gpu));
      side.gbps[links.count] = links.gbps;
      side.hosts.insert(facts.graph().node(gpu).host);
      side.chips = std::max(side.chips, nvswitches_of(*facts.graph().node(gpu).gpu));
    }
  return side;
}

using Pairs = std::map<double, std::vector<std::string>, std::greater<>>;  // by GB/s

Pairs processor_pairs(const Facts& facts, const std::vector<int>& cpus) {
  Pairs pairs;
  for (const int cpu : cpus)
    for (const auto& link : facts.graph().node(cpu).links)
      if (link.kind == LinkKind::sys && link.to > cpu)
        pairs[link.gbps].push_back(fmt::format("{} and {}", facts.name(cpu), facts.name(link.to)));
  return pairs;
}

std::string processor_gbps(double gbps) {
  if (gbps >= kLocalGbps) return "speed not known, NCCL counts 5000 GB/s";
  return fmt::format("{} GB/s", gbps_text(gbps));
}

// Without the place of devices that name no memory node; where none has a number, all of them.
std::size_t numa_nodes(const Facts& facts) {
  const auto cpus = facts.graph().of(NodeKind::cpu);
  const auto numbered =
      std::ranges::count_if(cpus, [&](int cpu) { return facts.graph().node(cpu).numa >= 0; });
  return numbered > 0 ? static_cast<std::size_t>(numbered) : cpus.size();
}

}  // namespace

std::string summary_text(const Facts& facts) {
  const auto text = fmt::format("{}, {}, {}", counted(numa_nodes(facts), "NUMA node"),
                                counted(facts.graph().of(NodeKind::gpu).size(), "GPU"),
                                counted(facts.graph().of(NodeKind::net).size(), "NIC port"));
  const int hosts = facts.hosts();
  return hosts > 1 ? fmt::format("{} hosts, {}", hosts, text) : text;
}

bool lacks_nvlinks(const Gpu& gpu) { return active_nvlinks(gpu) < nvlink_capacity(gpu); }

std::string nvlinks_text(const Facts& facts, int gpu) {
  const Gpu& device = *facts.graph().node(gpu).gpu;
  std::map<int, std::vector<NvLinks>, std::greater<>> peers;  // by count
  std::vector<std::string> parts;
  for (const auto& links : facts.nvlinks(gpu)) {
    if (facts.graph().node(links.to).kind == NodeKind::nvs)
      parts.push_back(to_switches(facts, gpu, links));
    else
      peers[links.count].push_back(links);
  }
  for (const auto& [count, same] : peers) parts.push_back(to_peers(facts, gpu, same));
  if (parts.empty()) return lacks_nvlinks(device) ? links_counted(device, 0) : "";
  if (lacks_nvlinks(device) && parts.size() + peers.size() > 1)
    parts.push_back(fmt::format("{} in all", links_counted(device, active_nvlinks(device))));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string c2c_text(const Gpu& gpu) {
  if (!gpu.c2c || gpu.c2c->count <= 0) return {};
  return fmt::format("C2C to its CPU, {} GB/s", gbps_text(c2c_gbps(*gpu.c2c)));
}

std::string nvswitch_label(const Facts& facts) {
  const int chips = switch_side(facts).chips;
  return chips == 0 ? "NVSwitch" : counted(static_cast<std::size_t>(chips), "NVSwitch");
}

std::string nvswitch_text(const Facts& facts) {
  const SwitchSide side = switch_side(facts);
  const auto& gpus = facts.graph().of(NodeKind::gpu);
  const auto word = gpus.empty() ? "NVLink" : nvlink_word(*facts.graph().node(gpus.front()).gpu);
  std::vector<std::string> parts;
  for (const auto& [count, names] : side.names) {
    const auto whose =
        side.hosts.size() > 1
            ? fmt::format("{} on {} hosts", counted(names.size(), "GPU"), side.hosts.size())
            : names_in_short(names);
    parts.push_back(
        fmt::format("{}, {} GB/s from {}{}", counted(static_cast<std::size_t>(count), word),
                    gbps_text(side.gbps.at(count)), names.size() > 1 ? "each of " : "", whose));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> processor_link_texts(const Facts& facts, int host) {
  const auto cpus = facts.nodes_on(NodeKind::cpu, host);
  const auto pairs = processor_pairs(facts, cpus);
  std::vector<std::string> words;
  if (pairs.size() == 1 && cpus.size() > 2) {
    std::vector<std::string> names;
    names.reserve(cpus.size());
    for (const int cpu : cpus) names.push_back(facts.name(cpu));
    words.push_back(fmt::format("{} each to each, {}", names_in_short(names),
                                processor_gbps(pairs.begin()->first)));
    return words;
  }
  for (const auto& [gbps, named] : pairs)
    for (const auto& pair : named)
      words.push_back(fmt::format("{}, {}", pair, processor_gbps(gbps)));
  return words;
}

}  // namespace linerate::topo
