// Tensor parallelism's sums over the ranks of an axis: an all_reduce each, or in canonical mode the
// tree over all leaves, of which each rank adds up its own first.
#pragma once

#include "trainers/engine/gradients.h"
#include "trainers/model/tensor_parallel.h"
#include "trainers/parallel/axis.h"
#include "trainers/parallel/tree_sum.h"

namespace linerate::trainers {

class TensorAxis final : public TensorParallel {
 public:
  // `axis`: null on one rank. All outlive it; calls on the axis' stream, which the compute stream
  // waits for.
  // `copies`: of ranks that hold the same key and value heads; null: each has its own.
  TensorAxis(const TensorShare& share, Axis* axis, Math& math, Arena& arena, Axis* copies = nullptr)
      : TensorParallel(share), axis_(axis), copies_(copies), math_(math), arena_(arena) {}

  void all_reduce(Array y, std::size_t count, TensorSum what, Stream& stream) override;
  void sum(Array y, std::size_t count, TensorSum what, const Term& term, Stream& stream) override;
  void sum_scattered(Array y, std::size_t count, TensorSum what, const Term& term,
                     Stream& stream) override;
  void reduce_scatter(Array y, Array x, std::size_t count, TensorSum what, Stream& stream) override;
  void gather(Array all, Array part, std::size_t count, Stream& stream) override;
  void sum_over_copies(Array y, std::size_t count, Stream& stream) override;
  void all_reduce_max(Array y, std::size_t count, Stream& stream) override;

 private:
  void reduce(Array y, std::size_t count, RedOp op, std::string_view purpose, Stream& stream);
  // Of this rank's leaves.
  TreeSum own_terms(std::size_t count, DataType type, const Term& term, Stream& stream);
  void sum_up_the_tree(Array y, std::size_t count, TensorSum what, const Term& term,
                       Stream& stream);

  Axis* const axis_;
  Axis* const copies_;
  Math& math_;
  Arena& arena_;
};

}  // namespace linerate::trainers
