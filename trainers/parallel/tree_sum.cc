#include "trainers/parallel/tree_sum.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate::trainers {
namespace {

TreeNode parent_of(const TreeNode& node) { return {node.level + 1, node.index / 2}; }

// The node beside it holds no leaf, so that its parent is the same sum.
bool is_alone(const TreeNode& node, std::size_t leaves) {
  return node.index % 2 == 0 && first_leaf({node.level, node.index + 1}) >= leaves;
}

// It is the sum of all leaves.
bool is_root(const TreeNode& node, std::size_t leaves) {
  return node.index == 0 && last_leaf(node, leaves) == leaves;
}

// The highest node that is the same sum.
TreeNode raised(TreeNode node, std::size_t leaves) {
  while (!is_root(node, leaves) && is_alone(node, leaves)) node = parent_of(node);
  return node;
}

}  // namespace

std::size_t first_leaf(const TreeNode& node) { return node.index << node.level; }

std::size_t last_leaf(const TreeNode& node, std::size_t leaves) {
  return std::min((node.index + 1) << node.level, leaves);
}

std::vector<TreeNode> nodes_of(std::size_t first, std::size_t last, std::size_t leaves) {
  std::vector<TreeNode> nodes;
  while (first < last) {
    TreeNode node{0, first};
    for (auto up = parent_of(node); !is_root(node, leaves); up = parent_of(node)) {
      if (first_leaf(up) < first || last_leaf(up, leaves) > last) break;
      node = up;
    }
    nodes.push_back(node);
    first = last_leaf(node, leaves);
  }
  return nodes;
}

std::vector<TreeNode> nodes_of(const Leaves& some, std::size_t leaves) {
  std::vector<TreeNode> nodes;
  for (std::size_t i = 0; i < some.size();) {
    const auto first = some[i];
    auto end = first;
    while (i < some.size() && some[i] == end) ++i, ++end;
    const auto run = nodes_of(first, end, leaves);
    nodes.insert(nodes.end(), run.begin(), run.end());
  }
  return nodes;
}

Leaves leaves_of(const LeavesByRank& by_rank, std::size_t first, std::size_t last) {
  Leaves all;
  for (auto rank = first; rank < last; ++rank)
    all.insert(all.end(), by_rank[rank].begin(), by_rank[rank].end());
  std::ranges::sort(all);
  return all;
}

void TreeSum::add(TreeNode node, Block array, Math& math, Stream& stream) {
  for (node = raised(node, leaves_); !is_root(node, leaves_);
       node = raised(parent_of(node), leaves_)) {
    const TreeNode beside{node.level, node.index ^ 1};
    const auto found = nodes_.find(first_leaf(beside));
    if (found == nodes_.end() || found->second.first != beside) break;
    auto& other = found->second.second;
    const bool is_left = node.index % 2 == 0;
    const auto left = (is_left ? array : other).array(type_);
    const auto right = (is_left ? other : array).array(type_);
    math.add(array.array(type_), left, right, count_, stream);
    nodes_.erase(found);
  }
  nodes_.insert_or_assign(first_leaf(node), std::pair(node, std::move(array)));
}

bool TreeSum::complete() const {
  return nodes_.size() == 1 && is_root(nodes_.begin()->second.first, leaves_);
}

Block TreeSum::take() {
  assert(complete());
  auto sum = std::move(nodes_.begin()->second.second);
  nodes_.clear();
  return sum;
}

}  // namespace linerate::trainers
