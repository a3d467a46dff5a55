// The sum of gradients over the leaves of a global batch, in an order that does not depend on which
// rank computed them: a fixed binary tree.
//
// A leaf is the gradient of a micro-batch. Leaf i is node (0, i). Node (l, i) is the sum of (l - 1,
// 2i) and (l - 1, 2i + 1), in this order; where the second one holds no leaf, it is the first one.
// So the bits of the root depend on the leaves alone. What has any consecutive leaves has some of
// the tree's nodes, and hands these on.
#pragma once

#include "comm/math.h"
#include "trainers/memory/arena.h"

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace linerate::trainers {

struct TreeNode {
  int level = 0;
  std::size_t index = 0;

  auto operator<=>(const TreeNode&) const = default;
};

// Node `node` holds the leaves [first, last) of `leaves`.
std::size_t first_leaf(const TreeNode& node);
std::size_t last_leaf(const TreeNode& node, std::size_t leaves);

// The fewest nodes that hold the leaves [first, last), in the order of their leaves.
std::vector<TreeNode> nodes_of(std::size_t first, std::size_t last, std::size_t leaves);

// Any of the leaves, in their order.
using Leaves = std::vector<std::size_t>;
using LeavesByRank = std::vector<Leaves>;
std::vector<TreeNode> nodes_of(const Leaves& some, std::size_t leaves);
// What the ranks [first, last) have together.
Leaves leaves_of(const LeavesByRank& by_rank, std::size_t first, std::size_t last);

// Sums arrays of `count` elements up the tree of `leaves`. Used by one thread.
class TreeSum {
 public:
  // Memory for an array of a node.
  using Allocate = std::function<Block()>;

  TreeSum(std::size_t leaves, std::size_t count, DataType type)
      : leaves_(leaves), count_(count), type_(type) {}

  // Takes the array of a node, and adds all pairs that this completes.
  void add(TreeNode node, Block array, Math& math, Stream& stream);
  // The nodes there are, in the order of their leaves; each is the sum of all its leaves.
  const std::map<std::size_t, std::pair<TreeNode, Block>>& nodes() const { return nodes_; }
  // Of the root: all leaves were added.
  bool complete() const;
  // REQUIRES: complete(). Leaves nothing behind.
  Block take();
  void clear() { nodes_.clear(); }

 private:
  const std::size_t leaves_, count_;
  const DataType type_;
  std::map<std::size_t, std::pair<TreeNode, Block>> nodes_;  // by their first leaf
};

}  // namespace linerate::trainers
