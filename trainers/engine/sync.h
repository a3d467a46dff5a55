// How ranks that hold all parameters add up their gradients: train_ddp's --sync.
//   all_reduce        the backend's own
//   reduce_scatter    and all_gather: each rank adds up a shard and sends it to all
//   tree              a binary tree of ranks: sums are sent up, the result is sent down
//   parameter_server  all send to rank 0, which adds up and sends the result to each
// The bytes of each have a closed form: model/training_bytes.h.
#pragma once

#include "model/rank_tree.h"
#include "trainers/engine/buckets.h"
#include "trainers/engine/gradients.h"
#include "trainers/parallel/tree_sum.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace linerate::trainers {

// The tree that sums go up and down; nothing where they do not.
std::optional<TreePlace> place_in(Sync sync, int rank, int nranks);

// Used by the rank's thread.
class BucketSync {
 public:
  virtual ~BucketSync() = default;

  // Enqueues on the axis' stream: the elements of a bucket are added up over its ranks, in place,
  // to the same bits on all.
  virtual void reduce(const Bucket& bucket, Array gradients) = 0;
};

// All references outlive it. REQUIRES: for reduce_scatter, buckets are multiples of the ranks.
std::unique_ptr<BucketSync> make_sync(Sync sync, const GradientTools& tools);

// Canonical mode's sums along a tree of ranks: a rank hands on the nodes of the tree over leaves
// that it and the ranks below it have.
class RootedTreeSum {
 public:
  // REQUIRES: `sync` has a tree.
  RootedTreeSum(Sync sync, const LeavesByRank& by_rank, std::size_t leaves,
                const GradientTools& tools);

  // Adds up `count` elements, of which `mine` are this rank's nodes. On the root the
  // sum is then at `to`.
  void up(std::span<const Array> mine, View to);
  // After all that goes up: begins to write the sum to `to` on all ranks, on the axis' stream.
  void down(View to);

 private:
  // That a rank and those below it hand on.
  std::vector<TreeNode> nodes_below(int rank) const;
  View room(std::size_t nodes, std::size_t count);
  void receive(std::size_t count, TreeSum& sum);
  void send(const TreeSum& sum, std::size_t count);
  void add(const TreeNode& node, ConstView from, TreeSum& sum);

  const Sync sync_;
  const TreePlace place_;
  const LeavesByRank by_rank_;
  const std::size_t leaves_;
  const GradientTools tools_;
  std::vector<Block> under_way_;  // what calls send and receive
};

}  // namespace linerate::trainers
