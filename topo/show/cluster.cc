// A cluster in words and as JSON: its groups from their graphs, its switches from the links between
// racks.
#include "base/text.h"
#include "record/json_io.h"
#include "topo/cluster/fabric_traffic.h"
#include "topo/show/device_text.h"
#include "topo/show/facts.h"
#include "topo/show/text_layout.h"
#include "topo/show/views.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

// "2 NUMA nodes, 8 GPUs, 8 NIC ports; NVIDIA H100 80GB HBM3, sm_90; 400 Gb/s InfiniBand"
std::string node_text(const Graph& graph) {
  auto text = summary_text(Facts(graph));
  if (const auto gpus = graph.of(NodeKind::gpu); !gpus.empty())
    text += "; " + gpu_text(*graph.node(gpus.front()).gpu);
  if (const auto nets = graph.of(NodeKind::net); !nets.empty())
    text += "; " + speed_text(*graph.node(nets.front()).net);
  return plain_text(text);
}

std::string numbers(int first, int count) {
  return count == 1 ? fmt::format("node {}", first)
                    : fmt::format("nodes {}-{}", first, first + count - 1);
}

std::string latency_text(const SwitchLevel& level) {
  return level.latency_us > 0 ? fmt::format(", {:g} us", level.latency_us) : "";
}

std::string oversubscription_text(double ratio) {
  return ratio > 1 ? fmt::format("oversubscribed {:g}:1", ratio) : "not oversubscribed";
}

// "800", or "400 to 800" where racks differ.
std::string range_text(const std::vector<double>& gbps) {
  const auto [least, most] = std::ranges::minmax(gbps);
  return least == most ? gbps_text(least)
                       : fmt::format("{} to {}", gbps_text(least), gbps_text(most));
}

std::string racks_text(const Cluster& cluster, const FabricLinks& links) {
  const Fabric& fabric = cluster.fabric;
  const int racks = cluster.rack_of_node(cluster.nnodes() - 1) + 1;
  const int last = cluster.nnodes() - (racks - 1) * fabric.nodes_per_rack;
  auto text = racks == 1 ? std::string("one rack")
                         : fmt::format("{} racks of {} nodes", racks, fabric.nodes_per_rack);
  if (racks > 1 && last < fabric.nodes_per_rack) text += fmt::format(", the last one of {}", last);
  if (fabric.rails > 1)
    text += fmt::format(", {} rails with a leaf switch each in every rack", fabric.rails);
  text += '\n';
  if (racks == 1 && fabric.rails == 1) return text;
  text +=
      fmt::format("  a leaf: {} GB/s to the spine, {}{}\n", range_text(links.leaf_gbps),
                  oversubscription_text(fabric.rack.oversubscription), latency_text(fabric.rack));
  return text + fmt::format("  the spine: {} GB/s, {}{}\n", gbps_text(links.spine_gbps),
                            oversubscription_text(fabric.spine.oversubscription),
                            latency_text(fabric.spine));
}

using Json = nlohmann::ordered_json;

struct GroupFacts {
  int first = 0;
  std::vector<double> gbps_by_rail{};
  std::size_t gpus = 0, ports = 0, hosts = 1;
  std::string gpu{};  // model
};

GroupFacts facts_of_group(const NodeGroup& group, int rails, const NcclVersion& version) {
  const auto graph = build_graph(*group.system, version);
  const auto gpus = graph.of(NodeKind::gpu);
  return {.gbps_by_rail = gbps_by_rail(graph, rails),
          .gpus = gpus.size(),
          .ports = graph.of(NodeKind::net).size(),
          .hosts = hosts_of(*group.system).size(),
          .gpu = gpus.empty() ? "" : graph.node(gpus.front()).gpu->model};
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

Json group_json(const NodeGroup& group, const GroupFacts& facts) {
  Json json{{"first", facts.first},
            {"count", group.count},
            {"topology", group.topology},
            {"hosts", facts.hosts},
            {"gpus", facts.gpus},
            {"ports", facts.ports},
            {"gbps", sum_of(facts.gbps_by_rail)}};
  if (!facts.gpu.empty()) json["gpu_model"] = facts.gpu;
  return json;
}

Json level_json(const SwitchLevel& level) {
  return {{"oversubscription", level.oversubscription}, {"latency_us", level.latency_us}};
}

Json rack_json(const Cluster& cluster, int rack, const FabricLinks& links) {
  const Fabric& fabric = cluster.fabric;
  const int size = fabric.nodes_per_rack > 0 ? fabric.nodes_per_rack : cluster.nnodes();
  const int first = rack * size;
  Json leaves = Json::array();
  for (int rail = 0; rail < fabric.rails; ++rail) {
    const int leaf = rack * fabric.rails + rail;
    leaves.push_back(links.leaf_gbps[static_cast<std::size_t>(leaf)]);
  }
  return {{"first", first},
          {"count", std::min(size, cluster.nnodes() - first)},
          {"leaf_gbps", std::move(leaves)}};
}

}  // namespace

std::string cluster_text(const Cluster& cluster, const NcclVersion& version) {
  std::string groups;
  std::vector<std::vector<double>> gbps;
  std::size_t gpus = 0;
  int first = 0;
  for (const auto& group : cluster.groups) {
    const auto graph = build_graph(*group.system, version);
    gpus += graph.of(NodeKind::gpu).size() * static_cast<std::size_t>(group.count);
    gbps.push_back(gbps_by_rail(graph, cluster.fabric.rails));
    groups += fmt::format("{}: {} x {}\n  {}\n", numbers(first, group.count), group.count,
                          plain_text(group.topology), node_text(graph));
    first += group.count;
  }
  return fmt::format(
             "cluster{}{}: {}, {}\n", cluster.name.empty() ? "" : " ", plain_text(cluster.name),
             counted(static_cast<std::size_t>(cluster.nnodes()), "node"), counted(gpus, "GPU")) +
         groups + racks_text(cluster, links_of(cluster, gbps));
}

std::string cluster_json(const Cluster& cluster, const NcclVersion& version) {
  Json json{{"kind", "cluster"}, {"schema", kClusterSchema}};
  if (!cluster.name.empty()) json["name"] = cluster.name;
  json["nnodes"] = cluster.nnodes();
  json["rails"] = cluster.fabric.rails;
  std::vector<std::vector<double>> gbps;
  int first = 0;
  auto& groups = json["groups"] = Json::array();
  for (const auto& group : cluster.groups) {
    auto facts = facts_of_group(group, cluster.fabric.rails, version);
    facts.first = std::exchange(first, first + group.count);
    groups.push_back(group_json(group, facts));
    gbps.push_back(facts.gbps_by_rail);
  }
  const auto links = links_of(cluster, gbps);
  auto& racks = json["racks"] = Json::array();
  for (int rack = 0; rack <= cluster.rack_of_node(cluster.nnodes() - 1); ++rack)
    racks.push_back(rack_json(cluster, rack, links));
  json["leaf"] = level_json(cluster.fabric.rack);
  json["spine"] = level_json(cluster.fabric.spine);
  json["spine"]["gbps"] = links.spine_gbps;
  return json::document(std::move(json));
}

}  // namespace linerate::topo
