// Context parallelism: attention whose sequences are cut among the ranks of an axis.
//
//   axis.h            a group of ranks, its stream, and an account of what they send
//   ring_attention.h  keys and values go around beside compute; any number of heads
//   ulysses.h         positions are exchanged for heads; each rank has whole sequences
//   model/context_parallel.h   who has which positions; closed forms of what is sent
//
// Canonical mode: a sequence has a fixed number of leaves. Each query takes keys in the order of
// positions, and no tile of the online softmax goes beyond a leaf. A leaf of queries has its part
// of dk and dv, summed from zero; the parts are added in the order of leaves. So results have the
// same bits on any number of ranks, by either way.
#pragma once

#include "comm/math.h"
#include "model/context_parallel.h"
#include "trainers/memory/arena.h"
#include "trainers/parallel/axis.h"

#include <cstddef>
#include <string_view>

namespace linerate::trainers {

// A rank's part of it. REQUIRES: refusal() has none.
struct ContextTools {
  Axis& axis;
  Math& math;
  Stream& compute;
  Arena& arena;
  SequenceSplit split{};
  std::size_t leaves = 0;  // canonical mode, or 0

  std::size_t rank() const { return static_cast<std::size_t>(axis.rank()); }
  std::size_t leaf_length() const { return leaves == 0 ? 0 : split.length / leaves; }
};

// As Math::attention_backward has them.
struct AttentionSlopes {
  Array dout{}, dq{}, dk{}, dv{};
};

// Purposes of calls.
inline constexpr std::string_view kAttentionForward = "attention forward";
inline constexpr std::string_view kAttentionBackward = "attention backward";

// What sums are kept in.
constexpr DataType sum_type(DataType type) {
  return type == DataType::float64 ? type : DataType::float32;
}

}  // namespace linerate::trainers
