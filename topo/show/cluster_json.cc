// A cluster as JSON: groups and racks in order, leaves and spine with their bandwidth.
#include "record/json_io.h"
#include "topo/cluster/fabric_traffic.h"
#include "topo/show/views.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

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
