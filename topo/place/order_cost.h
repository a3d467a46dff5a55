// What the orders of a mesh cost: time in communication of one training step.
#pragma once

#include "topo/graph/graph.h"
#include "topo/place/mesh.h"
#include "topo/place/rank_binding.h"
#include "topo/place/workload.h"

#include <array>
#include <cstddef>
#include <vector>

namespace linerate::topo {

struct OrderCost {
  AxisOrder order{};
  std::array<double, kAxes> axis_us{};  // of a step, by Axis; 0 where the axis has one rank

  double total_us() const { return axis_us[0] + axis_us[1] + axis_us[2]; }
  double us(Axis axis) const { return axis_us[static_cast<std::size_t>(axis)]; }
};

// Nodes that are all alike, with ranks in the order of the bindings, node by node.
struct PlacedJob {
  const Graph& graph;            // of one node
  const RankBindings& bindings;  // all with a GPU
  int nnodes = 1;
  std::size_t most_searches = 32;  // of channels, each up to a second
};

// Every order of the mesh, the cheapest first, equal ones in the order of orders_of(). An axis
// costs its calls one after the other, each as long as the slowest of its groups takes while all
// groups of the axis make that call at once (slowest_us), nothing of it hidden behind computation.
// Groups that have unequal parts on their nodes count as if all nodes had the slowest part. Where
// groups stand in more ways than there may be searches, further nodes of an axis are left out.
// REQUIRES: the mesh has nnodes x bindings ranks, and with several nodes there is a NIC.
std::vector<OrderCost> costs_of_orders(const PlacedJob& job, const Mesh& mesh,
                                       const Workload& workload);

}  // namespace linerate::topo
