#include "topo/cluster/fabric_bound.h"

#include "base/units.h"

#include <fmt/format.h>

#include <numeric>

namespace linerate::topo {
namespace {

std::string leaf_text(const Fabric& fabric, std::size_t leaf, std::string_view link) {
  const auto rails = static_cast<std::size_t>(fabric.rails);
  if (rails == 1) return fmt::format("rack {} {}", leaf, link);
  return fmt::format("rack {} rail {} {}", leaf / rails, leaf % rails, link);
}

// Keeps the link that needs longest; of equals the first one.
class Narrowest {
 public:
  explicit Narrowest(const Fabric& fabric) : fabric_(fabric) {}

  void look_at(double share, double gbps, std::size_t leaf, std::string_view link) {
    if (!is_longer(share, gbps)) return;
    load_.link = leaf_text(fabric_, leaf, link);
  }
  void look_at_spine(double share, double gbps) {
    if (is_longer(share, gbps)) load_.link = "spine";
  }
  FabricLoad found() && { return std::move(load_); }

 private:
  bool is_longer(double share, double gbps) {
    constexpr double kRounding = 1 + 1e-9;
    if (share <= 0 || gbps <= 0) return false;
    const double us_per_byte = share / (kBytesPerUsOfGbps * gbps);
    if (us_per_byte <= load_.us_per_byte * kRounding) return false;
    load_.us_per_byte = us_per_byte;
    return true;
  }

  const Fabric& fabric_;
  FabricLoad load_;
};

}  // namespace

FabricLinks links_of(const Cluster& cluster, std::span<const std::vector<double>> gbps_of_groups) {
  const auto rails = static_cast<std::size_t>(cluster.fabric.rails);
  const auto racks = static_cast<std::size_t>(cluster.rack_of_node(cluster.nnodes() - 1)) + 1;
  const double places = cluster.fabric.nodes_per_rack;
  std::vector<double> below(racks * rails), taken(racks);
  int node = 0;
  for (std::size_t group = 0; group < gbps_of_groups.size(); ++group)
    for (int i = 0; i < cluster.groups[group].count; ++i, ++node) {
      const auto rack = static_cast<std::size_t>(cluster.rack_of_node(node));
      ++taken[rack];
      for (std::size_t rail = 0; rail < rails; ++rail)
        below[rack * rails + rail] += gbps_of_groups[group][rail];
    }
  FabricLinks links{.leaf_gbps = std::move(below)};
  for (std::size_t leaf = 0; leaf < links.leaf_gbps.size(); ++leaf) {
    if (places > 0) links.leaf_gbps[leaf] *= places / taken[leaf / rails];
    links.leaf_gbps[leaf] /= cluster.fabric.rack.oversubscription;
  }
  links.spine_gbps = std::accumulate(links.leaf_gbps.begin(), links.leaf_gbps.end(), 0.0) /
                     cluster.fabric.spine.oversubscription;
  return links;
}

FabricLoad narrowest(const FabricTraffic& traffic, const FabricLinks& links, const Fabric& fabric) {
  Narrowest narrowest(fabric);
  for (std::size_t leaf = 0; leaf < traffic.up.size(); ++leaf) {
    narrowest.look_at(traffic.up[leaf], links.leaf_gbps[leaf], leaf, "uplink");
    narrowest.look_at(traffic.down[leaf], links.leaf_gbps[leaf], leaf, "downlink");
  }
  narrowest.look_at_spine(traffic.spine, links.spine_gbps);
  auto load = std::move(narrowest).found();
  load.crossing_us = traffic.crossings * (2 * fabric.rack.latency_us + fabric.spine.latency_us);
  return load;
}

FabricLoad fabric_load(const FabricJob& job, const FabricLinks& links, Function function,
                       Algorithm algorithm) {
  return narrowest(traffic_of(job, function, algorithm), links, job.cluster->fabric);
}

double wire_bytes_per_byte(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return 2;
    case Protocol::ll128:
      return 128.0 / 120;
    case Protocol::simple:
      return 1;
  }
  __builtin_unreachable();
}

}  // namespace linerate::topo
