#include "topo/place/order_cost.h"

#include "topo/place/subgraph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

// The ranks of a group on one node, by binding, and how many nodes the group has.
struct GroupPart {
  std::vector<int> bindings{};
  int nnodes = 1;

  auto operator<=>(const GroupPart&) const = default;
};

constexpr int kElsewhere = -1;            // the binding of a rank on another node
using MessageEnds = std::pair<int, int>;  // bindings

// The calls of one axis in one order: what happens on each node at once.
class AxisView {
 public:
  AxisView(const Mesh& mesh, const AxisOrder& order, Axis axis)
      : size_(mesh.size(axis)), stride_(stride_of(mesh, order, axis)), nranks_(mesh.nranks()) {}

  // Of every node that differs from the others: the parts of groups there.
  std::set<std::vector<GroupPart>> parts(int per_node) const;
  // The messages to the next rank on the axis.
  std::set<std::vector<MessageEnds>> messages(int per_node) const;

 private:
  int place(int rank) const { return rank / stride_ % size_; }
  int first(int rank) const { return rank - place(rank) * stride_; }
  int nodes_of_group(int first, int per_node) const;

  int size_, stride_, nranks_;
};

int AxisView::nodes_of_group(int first, int per_node) const {
  int count = 0, before = -1;
  for (int i = 0; i < size_; ++i) {
    const int node = (first + i * stride_) / per_node;
    if (node != before) ++count;
    before = node;
  }
  return count;
}

std::set<std::vector<GroupPart>> AxisView::parts(int per_node) const {
  std::vector<int> nodes(static_cast<std::size_t>(nranks_), 0);  // of each group, by first rank
  std::set<std::vector<GroupPart>> found;
  for (int start = 0; start < nranks_; start += per_node) {
    std::map<int, GroupPart> groups;
    for (int binding = 0; binding < per_node; ++binding) {
      const int group = first(start + binding);
      int& count = nodes[static_cast<std::size_t>(group)];
      if (count == 0) count = nodes_of_group(group, per_node);
      groups[group].bindings.push_back(binding);
      groups[group].nnodes = count;
    }
    std::vector<GroupPart> here;
    for (auto& [group, part] : groups) here.push_back(std::move(part));
    found.insert(std::move(here));
  }
  return found;
}

std::set<std::vector<MessageEnds>> AxisView::messages(int per_node) const {
  std::set<std::vector<MessageEnds>> found;
  for (int start = 0; start < nranks_; start += per_node) {
    const auto binding_of = [&](int rank) {
      return rank / per_node == start / per_node ? rank % per_node : kElsewhere;
    };
    std::vector<MessageEnds> here;
    for (int rank = start; rank < start + per_node; ++rank) {
      if (place(rank) + 1 < size_) here.emplace_back(rank % per_node, binding_of(rank + stride_));
      if (place(rank) > 0 && binding_of(rank - stride_) == kElsewhere)
        here.emplace_back(kElsewhere, rank % per_node);
    }
    found.insert(std::move(here));
  }
  return found;
}

// Asks the models, each question once.
class CostModel {
 public:
  CostModel(const PlacedJob& job, const Mesh& mesh, const Workload& workload);

  OrderCost cost(const AxisOrder& order);

 private:
  int per_node() const { return static_cast<int>(gpus_.size()); }
  int gpu(int binding) const {
    return binding == kElsewhere ? kElsewhere : gpus_[static_cast<std::size_t>(binding)];
  }
  double all_reduce_us(const AxisView& view, Axis axis);
  bool is_searched(const std::vector<GroupPart>& parts, Axis axis) const;
  double message_us(const AxisView& view);
  const Load& load_of(const GroupPart& part, Axis axis);
  const Load& load_of(const MessageEnds& ends);

  Mesh mesh_;
  Workload workload_;
  Graph graph_;  // of the GPUs with a rank
  Paths paths_;
  GroupLoads groups_;
  std::size_t max_searches_;
  std::vector<int> gpus_;  // of each binding
  std::map<std::pair<Axis, GroupPart>, Load> parts_;
  std::map<MessageEnds, Load> messages_;
};

std::vector<int> gpus_of(const RankBindings& bindings) {
  std::vector<int> gpus;
  for (const auto& binding : bindings.all) gpus.push_back(binding.node);
  return gpus;
}

CostModel::CostModel(const PlacedJob& job, const Mesh& mesh, const Workload& workload)
    : mesh_(mesh),
      workload_(workload),
      graph_(build_graph(only_gpus(job.graph, gpus_of(job.bindings)), job.graph.version())),
      paths_(graph_),
      groups_(graph_),
      max_searches_(job.max_searches) {
  for (const auto& binding : job.bindings.all) gpus_.push_back(graph_.find(binding.gpu).value());
}

const Load& CostModel::load_of(const GroupPart& part, Axis axis) {
  const auto [found, fresh] = parts_.try_emplace({axis, part});
  if (fresh) {
    std::vector<int> gpus;
    for (const int binding : part.bindings) gpus.push_back(gpu(binding));
    found->second = groups_.all_reduce(gpus, part.nnodes, traffic_of(workload_, mesh_, axis).bytes);
  }
  return found->second;
}

const Load& CostModel::load_of(const MessageEnds& ends) {
  const auto [found, fresh] = messages_.try_emplace(ends);
  if (fresh)
    found->second = message_load(graph_, paths_, {gpu(ends.first), gpu(ends.second)},
                                 traffic_of(workload_, mesh_, Axis::pp).bytes);
  return found->second;
}

bool CostModel::is_searched(const std::vector<GroupPart>& parts, Axis axis) const {
  return std::ranges::all_of(parts, [&](const GroupPart& part) {
    return parts_.contains({axis, part});
  });
}

double CostModel::all_reduce_us(const AxisView& view, Axis axis) {
  double slowest = 0;
  for (const auto& node : view.parts(per_node())) {
    const bool may_search = slowest == 0 || groups_.searched() < max_searches_;
    if (!may_search && !is_searched(node, axis)) continue;
    std::vector<const Load*> loads;
    for (const auto& part : node) loads.push_back(&load_of(part, axis));
    slowest = std::max(slowest, slowest_us(loads));
  }
  return slowest;
}

double CostModel::message_us(const AxisView& view) {
  double slowest = 0;
  for (const auto& node : view.messages(per_node())) {
    std::vector<const Load*> loads;
    for (const auto& ends : node) loads.push_back(&load_of(ends));
    slowest = std::max(slowest, slowest_us(loads));
  }
  return slowest;
}

OrderCost CostModel::cost(const AxisOrder& order) {
  OrderCost cost{.order = order};
  for (const Axis axis : kAllAxes) {
    if (mesh_.size(axis) == 1) continue;
    const AxisView view(mesh_, order, axis);
    const double call_us = axis == Axis::pp ? message_us(view) : all_reduce_us(view, axis);
    cost.axis_us[static_cast<std::size_t>(axis)] =
        call_us * traffic_of(workload_, mesh_, axis).calls;
  }
  return cost;
}

}  // namespace

std::vector<OrderCost> costs_of_orders(const PlacedJob& job, const Mesh& mesh,
                                       const Workload& workload) {
  CostModel model(job, mesh, workload);
  std::vector<OrderCost> costs;
  for (const auto& order : orders_of(mesh)) costs.push_back(model.cost(order));
  std::ranges::stable_sort(costs, {}, &OrderCost::total_us);
  return costs;
}

}  // namespace linerate::topo
