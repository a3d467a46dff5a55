#include "topo/place/plan.h"

#include "base/text.h"
#include "topo/system/links.h"

#include <fmt/format.h>

namespace linerate::topo {
namespace {

Result<Mesh> mesh_of(const PlanRequest& request) {
  const auto model = static_cast<std::int64_t>(request.tp) * request.pp;
  if (request.nranks % model != 0)
    return Failure{
        fmt::format("--nranks {} is not a multiple of --tp {} times --pp {}: replicas of {} ranks "
                    "do not fill them.",
                    request.nranks, request.tp, request.pp, model)};
  if (request.pp > request.workload.layers)
    return Failure{fmt::format("--pp {} is more than --layers {}: a stage would have none.",
                               request.pp, request.workload.layers)};
  return Mesh{{request.tp, static_cast<int>(request.nranks / model), request.pp}};
}

// "8 GPUs", or "2 cores" where there are none.
std::string places_counted(const Graph& graph) {
  const auto most = static_cast<std::size_t>(max_ranks(graph));
  return counted(most, graph.of(NodeKind::gpu).empty() ? "core" : "GPU");
}

Result<int> nodes_for(const Graph& graph, const PlanRequest& request) {
  const int most = max_ranks(graph), nranks = request.nranks;
  const auto bindings = places_counted(graph);
  if (most == 0)
    return Failure{
        "This machine has no GPU, and the source does not tell its cores: there is "
        "nothing to bind ranks to."};
  const int nnodes = request.nnodes > 0 ? request.nnodes : fewest_nodes(graph, nranks);
  if (nranks % nnodes != 0)
    return Failure{fmt::format(
        "--nranks {} is not the same number of ranks on each of {} nodes{}: give a multiple of "
        "{}, or {} nodes by --nodes.",
        nranks, nnodes, request.nnodes > 0 ? "" : fmt::format(", and a node has {}", bindings),
        nnodes, request.nnodes > 0 ? "fewer" : "more")};
  if (nranks / nnodes > most)
    return Failure{fmt::format(
        "--nranks {} on --nodes {} is {} ranks on each, and a node has {}: give {} nodes or more.",
        nranks, nnodes, nranks / nnodes, bindings, fewest_nodes(graph, nranks))};
  return nnodes;
}

void predict_orders(const Graph& graph, const Workload& workload, Plan& plan) {
  if (graph.of(NodeKind::gpu).empty()) {
    plan.unpredicted = "Costs of orders are those of NCCL's model, which needs GPUs: none here.";
    return;
  }
  if (library_of(graph.system()) != "NCCL") {
    plan.unpredicted = "Costs of orders are those of NCCL's model: on AMD's GPUs RCCL runs.";
    return;
  }
  plan.costs = costs_of_orders({graph, plan.bindings, plan.nnodes}, plan.mesh, workload);
  plan.order = plan.costs.front().order;
}

}  // namespace

int fewest_nodes(const Graph& graph, int nranks) {
  const int most = max_ranks(graph);
  return most > 0 ? (nranks - 1) / most + 1 : 0;
}

Result<Plan> plan_of(const Graph& graph, const PlanRequest& request) {
  const auto nnodes = nodes_for(graph, request);
  if (!nnodes) return nnodes.failure();
  const auto mesh = mesh_of(request);
  if (!mesh) return mesh.failure();
  if (*nnodes > 1 && graph.of(NodeKind::net).empty())
    return Failure{
        fmt::format("{} ranks need {} nodes, and several nodes need a NIC: this one has none.",
                    request.nranks, *nnodes)};
  const System& system = graph.system();
  Plan plan{.machine = system.name.empty() ? system.source : system.name,
            .version = graph.version(),
            .nnodes = *nnodes,
            .bindings = bind_ranks(graph, request.nranks / *nnodes),
            .mesh = *mesh,
            .hosts = request.hosts};
  plan.hosts_per_node = plan.bindings.all.back().host + 1;
  if (!plan.hosts.empty() && std::ssize(plan.hosts) != plan.nhosts())
    return Failure{fmt::format("--hosts names {}, and the job has {}: give as many names.",
                               plan.hosts.size(), plan.nhosts())};
  predict_orders(graph, request.workload, plan);
  return plan;
}

}  // namespace linerate::topo
