// See nccl_expecter.h.
#include "commands/nccl_expecter.h"

#include "topo/detect/detect.h"
#include "topo/detect/nccl_view.h"
#include "topo/model/job.h"
#include "topo/model/predict.h"
#include "topo/model/sends.h"
#include "topo/place/only_gpus.h"
#include "topo/read/nccl_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace linerate {
namespace {

using topo::BusId;

class NcclExpecter final : public Expecter {
 public:
  NcclExpecter(const topo::Graph& graph, int nnodes)
      : predictor_(topo::job_of(graph, {.nnodes = nnodes})), sends_(graph, nnodes) {}

  std::optional<Expectation> of(const SizedCase& what) const override;

 private:
  std::optional<Expectation> of_sends(const Collective& collective, std::size_t bytes) const;

  topo::Predictor predictor_;
  topo::SendModel sends_;
};

std::optional<topo::Function> function_of(const Collective& collective) {
  for (const auto function : topo::kAllFunctions)
    if (name_of(function) == collective.name) return function;
  return std::nullopt;
}

// An upper bound, not NCCL's own belief: sends do not share links evenly.
std::optional<Expectation> NcclExpecter::of_sends(const Collective& collective,
                                                  std::size_t bytes) const {
  constexpr double kHealthy = 0.5, kHealthyNearLatency = 0.15;  // as for a host's ranks
  const auto bound = sends_.bound(collective, bytes);
  if (!bound) return std::nullopt;
  return Expectation{.busbw_gbps = bound->busbw_gbps,
                     .bound_by = bound->bound_by,
                     .low_below = bound->bound_by == "latency" ? kHealthyNearLatency : kHealthy};
}

std::optional<Expectation> NcclExpecter::of(const SizedCase& what) const {
  constexpr double kHealthy = 0.8;  // what public runs of healthy machines reach of the model
  const auto function = function_of(*what.what.collective);
  const auto bytes = row_bytes(*what.what.collective, what.sizing, what.what.type);
  if (bytes == 0) return std::nullopt;
  if (!function) return of_sends(*what.what.collective, bytes);
  const auto predicted = predictor_.predict(*function, bytes, {what.what.type, what.what.op});
  return Expectation{.busbw_gbps = predicted.busbw_gbps,
                     .bound_by = fmt::format("NCCL's model of {}/{}", name_of(predicted.algorithm),
                                             name_of(predicted.protocol)),
                     .low_below = kHealthy};
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

topo::NcclVersion version_of(int code) {  // 22809
  constexpr int kMajor = 10'000, kMinor = 100;
  const topo::NcclVersion version{code / kMajor, code % kMajor / kMinor, code % kMinor};
  return std::clamp(version, topo::kOldestModelled, topo::kNewestModelled);
}

}  // namespace

std::unique_ptr<Expecter> make_nccl_expecter(const RunInfo& run, const topo::System& system) {
  if (run.ngroups != 1 || run.nranks < 2) return nullptr;
  const auto used = gpus_of_a_node(run);
  if (used.empty()) return nullptr;
  const auto graph = graph_of(system, used, version_of(run.nccl_version));
  if (graph.of(topo::NodeKind::gpu).size() != used.size()) return nullptr;
  if (run.nnodes > 1 && graph.of(topo::NodeKind::net).empty()) return nullptr;
  return std::make_unique<NcclExpecter>(graph, run.nnodes);
}

std::unique_ptr<Expecter> expecter_for(const RunInfo& run, const Environment& environment) {
  if (run.backend != "nccl") return nullptr;
  const auto file = environment.get("NCCL_TOPO_FILE").value_or("");
  if (file.empty()) return make_nccl_expecter(run, topo::nccl_view(topo::detect()));
  const auto system = topo::load_nccl_xml(std::string(file));
  return system ? make_nccl_expecter(run, *system) : nullptr;
}

}  // namespace linerate
