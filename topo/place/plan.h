// Where the ranks of a job go, and in which order its mesh numbers them.
//
// bind_ranks() (rank_binding.h) gives each rank of a node its GPU, cores and NICs. order_cost.h
// prices every order of the mesh by what its axes send in a step (mesh.h): NCCL's cost model of
// each group, and the links that groups share (group_loads.cc). Isomorphic groups share one search
// (subgraph.h). plan_text.h prints the plan.
#pragma once

#include "base/result.h"
#include "topo/place/order_cost.h"
#include "topo/place/rank_binding.h"
#include "topo/version.h"

#include <string>
#include <vector>

namespace linerate::topo {

// Everything that the outputs tell. Rank r has binding r % bindings of node r / bindings.
struct Plan {
  std::string machine{};  // the name of a node, or where it was read
  NcclVersion version{};
  int nnodes = 1;
  int hosts_per_node = 1;   // with ranks; above 1 in racks that one NVLink domain joins
  RankBindings bindings{};  // of one node
  Mesh mesh{};
  AxisOrder order = kAllAxes;      // the cheapest, or Megatron-LM's default where nothing is known
  std::vector<OrderCost> costs{};  // the cheapest first; empty: nobody can tell them
  std::string unpredicted{};       // the sentence that says why
  std::vector<std::string> hosts{};  // names for the rankfile; empty: localhost, +n0, +n1, ...

  int per_node() const { return static_cast<int>(bindings.all.size()); }
  int nranks() const { return per_node() * nnodes; }
  int nhosts() const { return nnodes * hosts_per_node; }
  const RankBinding& binding_of(int rank) const {
    return bindings.all[static_cast<std::size_t>(rank % per_node())];
  }
  int host_of(int rank) const { return rank / per_node() * hosts_per_node + binding_of(rank).host; }
};

// What is asked for.
struct PlanRequest {
  int nranks = 1;
  int nnodes = 0;  // 0: fewest_nodes()
  int tp = 1, pp = 1;
  Workload workload{};
  std::vector<std::string> hosts{};
};

// As few nodes like the graph's as take the ranks; 0: nothing there to bind ranks to.
int fewest_nodes(const Graph& graph, int nranks);

// Spreads the ranks over nodes like the graph's, and looks for the mesh's cheapest order. A
// sentence where they do not fit: too many for the nodes, not the same number on each, no whole
// number of replicas, no NIC for several nodes.
Result<Plan> plan_of(const Graph& graph, const PlanRequest& request);

}  // namespace linerate::topo
