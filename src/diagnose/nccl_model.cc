// The forecast for the GPUs that take part, beside what NCCL's own tuner believes.
#include "diagnose/nccl_model.h"

#include "diagnose/judge.h"
#include "record/verdict.h"
#include "topo/detect/nccl_merge.h"
#include "topo/model/forecast.h"
#include "topo/model/job.h"
#include "topo/model/p2p_model.h"
#include "topo/model/predict.h"
#include "topo/model/tuner_settings.h"
#include "topo/place/subgraph.h"
#include "topo/read/nccl_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using topo::BusId;

class NcclModel final : public PerformanceModel {
 public:
  NcclModel(const topo::Graph& graph, int nnodes, const topo::TunerSettings& asked)
      : predictor_(topo::job_of(graph, nnodes, asked)), sends_(graph, nnodes) {}

  std::optional<Expectation> bound(const ModeledCall& call) const override;

 private:
  std::optional<Expectation> bound_of_p2p(const ModeledCall& call, std::size_t bytes) const;

  topo::Predictor predictor_;
  topo::P2pModel sends_;
};

std::optional<topo::Function> function_of(const Collective& collective) {
  for (const auto function : topo::kAllFunctions)
    if (name_of(function) == collective.name) return function;
  return std::nullopt;
}

Expectation expectation_of(const topo::Forecast& forecast, std::string bound_by) {
  return {.busbw_gbps = forecast.busbw_gbps,
          .low_gbps = forecast.low_gbps,
          .high_gbps = forecast.high_gbps,
          .bound_by = std::move(bound_by)};
}

// Of traffic that varies there is an upper bound alone: sends do not share links evenly.
std::optional<Expectation> NcclModel::bound_of_p2p(const ModeledCall& call,
                                                   std::size_t bytes) const {
  constexpr double kHealthyOnLinks = 0.35, kHealthyNearLatency = 0.15;
  const Collective& collective = *call.collective;
  if (collective.varies) {
    const auto bound = sends_.bound_of_traffic(collective, call.sizing);
    if (!bound) return std::nullopt;
    return band_below(bound->busbw_gbps,
                      bound->bound_by == "latency" ? kHealthyNearLatency : kHealthyOnLinks,
                      bound->bound_by);
  }
  const auto costs = sends_.costs(collective);
  const auto expected = costs ? topo::forecast(predictor_.job(), *costs, bytes) : std::nullopt;
  if (!expected) return std::nullopt;
  return expectation_of(*expected, costs->at(bytes)->bound_by);
}

std::optional<Expectation> NcclModel::bound(const ModeledCall& call) const {
  const auto function = function_of(*call.collective);
  const auto bytes = row_bytes(*call.collective, call.sizing, call.type);
  if (bytes == 0) return std::nullopt;
  if (!function) return bound_of_p2p(call, bytes);
  if (!predictor_.can_do(*function, {call.type, call.op})) return std::nullopt;
  const auto nccl = predictor_.predict(*function, bytes, {call.type, call.op});
  const topo::Scheme scheme{*function, nccl.algorithm, nccl.protocol};
  const auto expected = topo::forecast(predictor_.job(), {.scheme = scheme, .bytes = bytes});
  if (!expected) return std::nullopt;
  auto found = expectation_of(
      *expected, fmt::format("NCCL's {}/{}", name_of(nccl.algorithm), name_of(nccl.protocol)));
  found.ncclmodel_busbw_gbps = nccl.busbw_gbps;
  return found;
}

// NCCL's and CUDA's bus ids have no function: "0000:18:00".
std::optional<BusId> bus_id_of(const RankInfo& rank) {
  const auto id = topo::parse_bus_id(rank.bus_id + ".0");
  return id ? std::optional(*id) : std::nullopt;
}

// The GPUs of rank 0's node; empty where the nodes are not alike or ranks share a GPU.
std::set<BusId> gpus_of_a_node(const RunInfo& run) {
  std::map<int, std::set<BusId>> nodes;
  for (const auto& rank : run.ranks) {
    const auto id = bus_id_of(rank);
    if (!id || !nodes[rank.node].insert(*id).second) return {};
  }
  if (nodes.empty()) return {};
  const auto& first = nodes[run.ranks.front().node];
  const bool alike = std::ranges::all_of(
      nodes, [&](const auto& node) { return node.second.size() == first.size(); });
  return alike ? first : std::set<BusId>();
}

// Without the GPUs that take no part.
topo::Graph graph_of(const topo::System& system, const std::set<BusId>& used,
                     const topo::NcclVersion& version) {
  const auto whole = topo::build_graph(system, version);
  std::vector<int> gpus;
  for (const int gpu : whole.of(topo::NodeKind::gpu))
    if (used.contains(whole.node(gpu).bus_id)) gpus.push_back(gpu);
  return topo::build_graph(topo::only_gpus(whole, gpus), version);
}

// Nothing: the model fits.
std::optional<std::string> misfit(const RunInfo& run, const std::set<BusId>& used) {
  if (run.nranks < 2) return "one rank alone sends nothing";
  if (run.ngroups != 1) return "NCCL's model knows nothing of groups that share links";
  if (used.empty()) return "ranks share a GPU, or nodes have different numbers of ranks";
  return std::nullopt;
}

std::optional<std::string> hidden_part(const RunInfo& run, const topo::Graph& graph,
                                       const std::set<BusId>& used) {
  const auto& node = graph.system();
  std::set<BusId> hidden = used;
  for (const int gpu : graph.of(topo::NodeKind::gpu)) hidden.erase(graph.node(gpu).bus_id);
  if (!hidden.empty())
    return fmt::format("GPU {} is not in {}", text_of(*hidden.begin()), node.source);
  if (run.nnodes > 1 && graph.of(topo::NodeKind::net).empty())
    return fmt::format("{} shows no port to the other hosts", node.source);
  return topo::unknown_links(node, run.nnodes > 1);
}

// What NCCL reads: that of the environment, or of the daemon of NVIDIA's virtual machines.
std::string topology_file(const Environment& environment, const std::filesystem::path& root) {
  const auto given = environment.get("NCCL_TOPO_FILE").value_or("");
  if (!given.empty()) return std::string(given);
  const auto standard = root / "var/run/nvidia-topologyd/virtualTopology.xml";
  std::error_code failed;
  return std::filesystem::exists(standard, failed) ? standard.string() : std::string();
}

Result<topo::System> node_of(const Environment& environment, const topo::DetectInput& here) {
  auto seen = topo::nccl_view(topo::detect(here));
  const auto file = topology_file(environment, here.root);
  if (file.empty()) return seen;
  auto read = topo::load_nccl_xml(file);
  if (!read) return read;
  return topo::completed_as_nccl(std::move(read).value(), seen);
}

}  // namespace

Result<std::unique_ptr<PerformanceModel>> make_nccl_model(const RunInfo& run,
                                                          const topo::System& system) {
  const auto used = gpus_of_a_node(run);
  if (const auto why = misfit(run, used)) return Failure{*why};
  const auto version = std::clamp(topo::version_of_code(run.nccl_version), topo::kOldestModelled,
                                  topo::kNewestModelled);
  const auto asked = topo::read_tuner_settings(Environment::of_record(run.environment), version);
  if (!asked) return asked.failure();
  const auto graph = graph_of(system, used, version);
  if (const auto why = hidden_part(run, graph, used)) return Failure{*why};
  return std::unique_ptr<PerformanceModel>(std::make_unique<NcclModel>(graph, run.nnodes, *asked));
}

Result<std::unique_ptr<PerformanceModel>> model_for(const RunInfo& run, const HostLimits* limits,
                                                    const Environment& environment,
                                                    const topo::DetectInput& here) {
  if (limits != nullptr)
    return std::unique_ptr<PerformanceModel>(std::make_unique<HostModel>(*limits));
  if (run.backend != "nccl") return Failure{why_no_bound(run)};
  const auto node = node_of(environment, here);
  if (!node) return node.failure();
  return make_nccl_model(run, *node);
}

}  // namespace linerate
