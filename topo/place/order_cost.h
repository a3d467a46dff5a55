// What the orders of a mesh cost: time in communication of one training step, from how long a
// message or an all_reduce of each group takes, and what it takes of the links meanwhile.
#pragma once

#include "topo/graph/graph.h"
#include "topo/graph/paths.h"
#include "topo/model/job.h"
#include "topo/place/mesh.h"
#include "topo/place/rank_binding.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linerate::topo {

// One direction of a link by the names of both ends, between which there may be one of each kind.
struct LinkName {
  std::string from{}, to{};
  LinkKind kind = LinkKind::loc;

  auto operator<=>(const LinkName&) const = default;
};

// GB/s of one direction of a link: taken, and there.
struct LinkUse {
  double gbps = 0, capacity_gbps = 0;
};

// One call on one node: of the ranks of a group that are there, or one end of a message.
struct Load {
  double latency_us = 0;
  double transfer_us = 0;  // with the links to itself
  std::map<LinkName, LinkUse> uses{};
};

// One message between GPUs of a node, or from or to another node, which is -1: on the path and at
// the NIC that NCCL takes. NCCL's model has no messages: the latency is that of one step of a ring.
// REQUIRES: one end at least is a GPU, and with the other on another node it reaches a NIC.
Load message_load(const Graph& graph, const Paths& paths, std::pair<int, int> ends,
                  std::size_t bytes);

// When the last of several calls ends that begin at once on a node. Where they want more of a link
// than there is, each gets its share: the transfer takes max(wanted / capacity) over its links as
// long.
double slowest_us(std::span<const Load* const> at_once);

// Asks NCCL's cost model. Groups with isomorphic topology share one search for channels.
class GroupLoads {
 public:
  explicit GroupLoads(const Graph& graph) : graph_(graph) {}

  // One all_reduce of a group that has these GPUs, nodes of the graph, on each of `nnodes` nodes:
  // the choice and time of NCCL's cost model, on a system of these GPUs alone. Taken is what the
  // channels of its algorithm are planned for. REQUIRES: two ranks at least.
  Load all_reduce(std::span<const int> gpus, int nnodes, std::size_t bytes);
  // The same of any function, with the time that will be measured (forecast.h) where it has one.
  Load forecast_of(Function function, std::span<const int> gpus, int nnodes, std::size_t bytes);

  std::size_t searched() const { return searches_.size(); }

 private:
  struct Search {
    Search(const Graph& of, bool multi_node, std::vector<int> nodes);

    Graph graph;
    Paths paths;
    NodeFacts facts;
    std::vector<int> order;  // as CanonicalForm has it
  };
  enum class Time : std::uint8_t { modelled, forecast };
  Load load(Function function, std::span<const int> gpus, int nnodes, std::size_t bytes, Time time);

  Graph graph_;
  // By CanonicalForm::key, and whether there are several nodes.
  std::map<std::pair<std::string, bool>, Search> searches_;
};

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
  std::size_t max_searches = 32;  // of channels, each up to a second
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
