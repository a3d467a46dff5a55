// Tensor parallelism (Shoeybi et al. 2019): each rank of an axis has some of the heads of
// attention, some columns of the MLP and some tokens of the vocabulary, for all positions. A
// projection is cut by its outputs or by its inputs; where it is cut by what a product adds up
// over, the product is a sum over the ranks:
//
//   forward     of attention.out and mlp.down, cut by inputs: of their results
//   backward    of qkv, mlp.up and the head, cut by outputs: of their inputs' gradients
//
// What is cut has `leaves`, of which each rank has as many, one after the other. A sum has a term
// of each leaf. In canonical mode they are added up in a fixed order: results then have the same
// bits for any number of ranks that divides the leaves. Else each rank has one leaf.
#pragma once

#include "comm/buffer.h"
#include "comm/math.h"
#include "trainers/model/config.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace linerate::trainers {

// Which leaves a rank has. REQUIRES: nranks divides leaves.
struct TensorShare {
  std::size_t leaves = 1;
  std::size_t rank = 0, nranks = 1;
  bool in_order = false;  // canonical mode: leaves are added up one by one, in a fixed order
  // Sequence parallelism (Korthikanti et al. 2022): outside of what is cut, each rank has some
  // rows: of all in their order as many, one rank after the other.
  bool splits_rows = false;

  std::size_t own() const { return leaves / nranks; }
  std::size_t first() const { return rank * own(); }
  // All of it is on one rank, and added up in one go.
  bool whole() const { return leaves == 1; }
  // Of so many key and value heads, those of this rank; and ranks that hold the same: where there
  // are more ranks than heads, as many neighbours have copies of each.
  Range kv_heads(std::size_t heads) const {
    return nranks <= heads ? all(heads) : Range{rank / copies(heads), 1};
  }
  std::size_t copies(std::size_t heads) const { return nranks <= heads ? 1 : nranks / heads; }
  // That rows are cut into.
  std::size_t row_parts() const { return splits_rows ? nranks : 1; }
  // Of `count` elements in a row, those of this rank's leaf `leaf` (from 0); all of its leaves.
  Range leaf(std::size_t count, std::size_t leaf) const;
  Range all(std::size_t count) const;
};

// Of the model that a rank computes: its heads, its columns of the MLP, its tokens.
ModelConfig model_of_share(const ModelConfig& whole, const TensorShare& share);

// "1, 2, 4": the numbers up to `most` that fit.
std::string numbers_that(std::size_t most, const std::function<bool(std::size_t)>& fit);

// Leaves of canonical mode: all tensor-parallel sizes that divide them have the same bits.
std::size_t canonical_leaves(const ModelConfig& whole);

// Nothing, or why the model cannot be cut among as many ranks.
std::optional<std::string> tensor_refusal(const ModelConfig& whole, std::size_t nranks,
                                          bool deterministic);

// What ranks add up, for the account of bytes.
enum class TensorSum : std::uint8_t {
  embedding,
  forward,
  backward,
  cross_entropy,
  norm_weight,
  keys_and_values
};
std::string_view name_of(TensorSum what);  // "embedding", …, "cross entropy", "norm weight"
inline constexpr std::string_view kRowGather = "rows";  // purpose of gather()

// How a rank's terms become sums. This one: of one leaf on one rank. Used by the rank's thread.
class TensorParallel {
 public:
  TensorParallel() = default;
  virtual ~TensorParallel() = default;
  TensorParallel(const TensorParallel&) = delete;
  TensorParallel& operator=(const TensorParallel&) = delete;

  const TensorShare& share() const { return share_; }

  // y = the sum of all ranks' y, in any order. Collective over the axis.
  virtual void all_reduce(Array y, std::size_t count, TensorSum what, Stream& stream);
  // Writes the term of this rank's leaf `leaf` (from 0) to `to`.
  using Term = std::function<void(std::size_t leaf, Array to)>;
  // y = the sum of the terms of all leaves, `count` elements each. Collective.
  virtual void sum(Array y, std::size_t count, TensorSum what, const Term& term, Stream& stream);
  // The same where rows are split: y is this rank's part of the sum, a rank's after the other's.
  virtual void sum_scattered(Array y, std::size_t count, TensorSum what, const Term& term,
                             Stream& stream);
  // y = this rank's part of the sum of all ranks' x, in any order; all = the ranks' parts, one
  // after the other. `count` elements of all ranks.
  virtual void reduce_scatter(Array y, Array x, std::size_t count, TensorSum what, Stream& stream);
  virtual void gather(Array all, Array part, std::size_t count, Stream& stream);
  // y = the sum of those ranks' y that hold copies of the same key and value heads, in any order.
  virtual void sum_over_copies(Array y, std::size_t count, Stream& stream);
  // Each element becomes the largest of all ranks' float64. Collective.
  virtual void all_reduce_max(Array y, std::size_t count, Stream& stream);

 protected:
  explicit TensorParallel(const TensorShare& share) : share_(share) {}

 private:
  const TensorShare share_;
};

}  // namespace linerate::trainers
