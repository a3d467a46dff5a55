// Gradients up the tree over leaves, among the ranks of an axis: each rank sends of its nodes what
// another one owns, and adds up what it gets in the tree's order. Where each rank's leaves are a
// subtree, as many bytes travel as in a ring's reduce_scatter and all_gather.
#pragma once

#include "trainers/engine/gradients.h"
#include "trainers/parallel/axis.h"
#include "trainers/parallel/tree_sum.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace linerate::trainers {

// The nodes that hold each rank's leaves.
std::vector<std::vector<TreeNode>> nodes_by_rank(const LeavesByRank& by_rank, std::size_t leaves);

// Gradients that are added up among the ranks of an axis.
struct TreeReduction {
  Axis& axis;
  const LeavesByRank& by_rank;  // the leaves that each of its ranks hands on
  std::size_t leaves = 1;       // of all ranks
  std::size_t count = 0;        // elements; a multiple of the ranks
  std::string_view exchange = "gradient exchange", gather = "gradient all_gather";  // purposes
};

// The exchange under way. Its memory is the call's until end() was called.
class TreeExchange {
 public:
  // `mine`: this rank's nodes, each an array of `count` elements, which may change once this
  // returns. REQUIRES: they are those that hold this rank's leaves.
  TreeExchange(const TreeReduction& reduction, std::span<const Array> mine,
               const GradientTools& tools);

  const Event& done() const { return done_; }
  // Waits, and adds this rank's shard of all nodes to `sum`.
  void end(TreeSum& sum);

 private:
  void pack(std::span<const Array> mine);

  const GradientTools tools_;
  const std::size_t shard_count_;
  std::vector<TreeNode> received_;  // by rank
  std::vector<Range> send_ranges_, recv_ranges_;
  Block send_, recv_;
  Event done_;
};

// The sum of all leaves on all ranks of an axis: each adds up a shard and sends it to the others.
class TreeAllReduce {
 public:
  // As TreeExchange has it.
  TreeAllReduce(const TreeReduction& reduction, std::span<const Array> mine,
                const GradientTools& tools);

  // The exchange alone.
  const Event& done() const { return exchange_.done(); }
  // Waits for it, and begins to write the sum to `to`, on the axis' stream.
  void end(View to);

 private:
  const GradientTools tools_;
  Axis& axis_;
  const std::size_t leaves_, shard_count_;
  const std::string_view purpose_;
  TreeExchange exchange_;
};

}  // namespace linerate::trainers
