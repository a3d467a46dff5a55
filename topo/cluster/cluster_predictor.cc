#include "topo/cluster/cluster_predictor.h"

#include "topo/graph/rules.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::string_view kNcclModel = "NCCL model";

// What a change of the time must come to, to be told as the reason for it.
constexpr double kNoticed = 0.01;

std::string reason(double own_us, double time_us, const FabricLoad& load) {
  if (time_us <= (1 + kNoticed) * own_us) return std::string(kNcclModel);
  return time_us - own_us >= 2 * load.crossing_us ? load.link : "switch latency";
}

// Why NCCL has no place for a node's devices; empty: it has.
std::string too_many(const Graph& graph, std::string_view topology) {
  const auto most = static_cast<std::size_t>(graph_rules(graph.version()).max_of_a_kind);
  for (const auto& [kind, words] : {std::pair{NodeKind::gpu, "GPUs"}, {NodeKind::net, "NIC ports"}})
    if (const auto own = graph.of(kind).size(); own > most)
      return fmt::format("{} has {} {}, and NCCL {} takes {} in a node at most.", topology, own,
                         words, text_of(graph.version()), most);
  return "";
}

}  // namespace

ClusterNodes::ClusterNodes(Cluster cluster, const NcclVersion& version, const TunerSettings& asked)
    : cluster_(std::move(cluster)), asked_(asked) {
  std::map<const System*, std::size_t> known;
  for (const auto& group : cluster_.groups) {
    const auto [at, is_new] = known.try_emplace(group.system.get(), kinds_.size());
    if (is_new) {
      auto graph = build_graph(*group.system, version);
      auto gbps = gbps_by_rail(graph, cluster_.fabric.rails);
      kinds_.push_back(
          {.graph = std::move(graph), .topology = group.topology, .gbps_by_rail = std::move(gbps)});
    }
    kind_of_group_.push_back(at->second);
  }
}

std::vector<ClusterNodes::Part> ClusterNodes::first(int nnodes) const {
  std::vector<Part> parts;
  for (std::size_t g = 0; g < kind_of_group_.size() && nnodes > 0; ++g) {
    parts.push_back({kind_of_group_[g], std::min(cluster_.groups[g].count, nnodes)});
    nnodes -= parts.back().count;
  }
  return parts;
}

std::string ClusterNodes::unfit(int nnodes) const {
  std::size_t gpus = 0;
  for (const auto& part : first(nnodes)) {
    const Kind& kind = kinds_[part.kind];
    const auto own = kind.graph.of(NodeKind::gpu).size();
    if (auto why = too_many(kind.graph, kind.topology); !why.empty()) return why;
    if (library_of(kind.graph.system()) != "NCCL")
      return fmt::format(
          "the GPUs of {} are AMD's. There RCCL runs, whose tables and rings are its "
          "own, and linerate models NCCL alone.",
          kind.topology);
    if (own == 0)
      return fmt::format(
          "there is no GPU in {}, so nothing for NCCL to do: give a machine that has some, with "
          "--platform, --nccl-xml or --cluster.",
          kind.topology);
    if (nnodes > 1 && kind.graph.of(NodeKind::net).empty())
      return fmt::format("several nodes need a NIC, and {} has none.", kind.topology);
    gpus += own * static_cast<std::size_t>(part.count);
  }
  return gpus < 2 ? "one GPU alone sends nothing: give --nodes 2 or more." : "";
}

bool ClusterNodes::nics_differ(int nnodes) const {
  const auto parts = first(nnodes);
  const auto nics = [&](const Part& part) {
    return kinds_[part.kind].graph.of(NodeKind::net).size();
  };
  return std::ranges::any_of(parts, [&](const Part& part) { return nics(part) != nics(parts[0]); });
}

const ClusterNodes::Searched& ClusterNodes::searched(std::size_t kind, bool multi_node) {
  auto& searched = kinds_[kind].searched[multi_node ? 1 : 0];
  if (!searched) {
    auto facts = facts_of(kinds_[kind].graph, multi_node, asked_);
    auto rails = rails_of(kinds_[kind].graph, facts.channels, cluster_.fabric.rails);
    searched = std::make_unique<Searched>(std::move(facts), std::move(rails));
  }
  return *searched;
}

JobShape ClusterNodes::job(int nnodes) {
  assert(nnodes > 0 && nnodes <= cluster_.nnodes());
  std::vector<IdenticalNodes> identical;
  for (const auto& part : first(nnodes))
    identical.push_back({.facts = &searched(part.kind, nnodes > 1).facts, .count = part.count});
  return job_of(identical);
}

std::vector<const NodeRails*> ClusterNodes::rails(int nnodes) {
  std::vector<const NodeRails*> rails;
  for (const auto& part : first(nnodes))
    rails.insert(rails.end(), static_cast<std::size_t>(part.count),
                 &searched(part.kind, nnodes > 1).rails);
  return rails;
}

FabricLinks ClusterNodes::links() const {
  std::vector<std::vector<double>> gbps;
  for (const auto kind : kind_of_group_) gbps.push_back(kinds_[kind].gbps_by_rail);
  return links_of(cluster_, gbps);
}

ClusterPredictor::ClusterPredictor(ClusterNodes& nodes, int nnodes)
    : predictor_(nodes.job(nnodes)), fabric_{.cluster = &nodes.cluster()} {
  if (nnodes < 2) return;
  const JobShape& job = predictor_.job();
  fabric_.nodes = nodes.rails(nnodes);
  fabric_.nranks = job.nranks;
  for (const auto algorithm : kAllAlgorithms)
    fabric_.nchannels[index_of(algorithm)] = job.of(algorithm).nchannels();
  links_ = nodes.links();
}

const FabricLoad& ClusterPredictor::load(Function function, Algorithm algorithm) {
  auto& load = loads_[index_of(function)][index_of(algorithm)];
  if (!load)
    load = fabric_.nodes.empty() ? FabricLoad{}
                                 : narrowest(traffic_of(fabric_, function, algorithm), links_,
                                             fabric_.cluster->fabric);
  return *load;
}

ClusterPrediction ClusterPredictor::predict(Function function, std::size_t bytes,
                                            const Reduced& what) {
  ClusterPrediction found{.nccl = predictor_.predict(function, bytes, what)};
  const Scheme scheme{function, found.nccl.algorithm, found.nccl.protocol};
  const auto& fabric = load(function, scheme.algorithm);
  const double fabric_us =
      static_cast<double>(bytes) * wire_bytes_per_byte(scheme.protocol) * fabric.us_per_byte;
  const ChosenCall call{
      .scheme = scheme, .bytes = bytes, .fabric_us = fabric_us, .crossing_us = fabric.crossing_us};
  found.parts = call_parts(predictor_.job(), call);
  found.forecast = forecast(predictor_.job(), call);
  const auto own = forecast(predictor_.job(), {.scheme = scheme, .bytes = bytes});
  if (own) found.bound_by = reason(own->time_us, found.forecast->time_us, fabric);
  return found;
}

}  // namespace linerate::topo
