// One form for each algorithm, of n ranks and m bytes as the API counts them.
#include "algorithm_costs.h"

#include "backends/host/algorithms/rows.h"

#include <algorithm>
#include <bit>
#include <map>

namespace linerate::host {
namespace {

double payload(const Problem& problem) {
  return static_cast<double>(problem.count * problem.element_bytes);
}

// m bytes from each other rank, or from the root. In all_reduce everybody waits once more.
Cost cost_of_pull(const Problem& problem) {
  const double others = problem.kind == OpKind::broadcast ? 1 : problem.nranks - 1;
  return {.rounds = problem.kind == OpKind::all_reduce ? 2.0 : 1.0,
          .bytes = others * payload(problem)};
}

// One wait. With m bytes of a rank's block and n ranks: all_reduce reads and
// writes (n-1)/n m each, broadcast as the last rank's share does, all others m per other rank.
Cost cost_of_flat(const Problem& problem) {
  const auto n = static_cast<double>(problem.nranks);
  const double m = payload(problem);
  switch (problem.kind) {
    case OpKind::all_reduce:
      return {.rounds = 1, .bytes = 2 * (n - 1) / n * m};
    case OpKind::reduce_scatter:
    case OpKind::all_gather:
    case OpKind::all_to_all:
      return {.rounds = 1, .bytes = (n - 1) * m};
    default:
      return {.rounds = 1, .bytes = m};
  }
}

// all_reduce moves m each round, and once more in and out where n is no power of two; all_gather
// doubles from m to (n-1) m in total.
Cost cost_of_recursive_doubling(const Problem& problem) {
  const auto n = static_cast<unsigned>(problem.nranks);
  const double m = payload(problem);
  if (problem.kind == OpKind::all_gather)
    return {.rounds = static_cast<double>(std::bit_width(n - 1)), .bytes = (n - 1) * m};
  const double doublings = std::bit_width(n) - 1 + (std::has_single_bit(n) ? 0 : 1);
  return {.rounds = doublings + 1, .bytes = doublings * m};
}

// Rounds as the pipeline's first piece sees them.
Cost cost_of_ring(const Problem& problem) {
  const auto n = static_cast<double>(problem.nranks);
  const double m = payload(problem);
  switch (problem.kind) {
    case OpKind::all_reduce:
      return {.rounds = 2 * (n - 1), .bytes = 2 * (n - 1) / n * m};
    case OpKind::reduce_scatter:
    case OpKind::all_gather:
      return {.rounds = n - 1, .bytes = (n - 1) * m};
    default:
      return {.rounds = n - 1, .bytes = m};
  }
}

// A rank inside the tree reads two children's parts and its parent's result; below 5 ranks none is.
Cost cost_of_tree(const Problem& problem) {
  const double m = payload(problem);
  const auto depth = static_cast<double>(std::bit_width(static_cast<unsigned>(problem.nranks)) - 1);
  const int children = std::min(problem.nranks - 1, 2);
  switch (problem.kind) {
    case OpKind::all_reduce:
      return {.rounds = 2 * depth, .bytes = (problem.nranks > 4 ? 3 : children) * m};
    case OpKind::reduce:
      return {.rounds = depth, .bytes = children * m};
    default:
      return {.rounds = depth, .bytes = m};
  }
}

// For g equal groups of s ranks, bytes within and between groups together.
Cost cost_of_hierarchical(const Problem& problem) {
  const double m = payload(problem);
  const auto n = static_cast<double>(problem.nranks);
  const double g = problem.groups->count();
  const double s = n / g;
  switch (problem.kind) {
    case OpKind::all_reduce:
      return {.rounds = 4, .bytes = 2 * (s - 1) / s * m + 2 * (g - 1) / g * m / s};
    case OpKind::reduce:
      return {.rounds = 2, .bytes = ((s - 1) / s + g / s) * m};
    case OpKind::broadcast:
      return {.rounds = 2, .bytes = m};
    case OpKind::all_gather:
      return {.rounds = 2, .bytes = (n - 1) * m};
    default:
      return {.rounds = 2, .bytes = (n - s) / s * (s - 1) * m + (s - 1) * m + (g - 1) * m};
  }
}

}  // namespace

Cost cost_of(const Algorithm& algorithm, const Problem& problem) {
  static const std::map<const Algorithm*, Cost (*)(const Problem&)> kForms{
      {&kPull, cost_of_pull},
      {&kFlat, cost_of_flat},
      {&kRecursiveDoubling, cost_of_recursive_doubling},
      {&kRing, cost_of_ring},
      {&kTree, cost_of_tree},
      {&kHierarchical, cost_of_hierarchical}};
  return kForms.at(&algorithm)(problem);
}

}  // namespace linerate::host
