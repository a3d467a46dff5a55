// What a range of elements and one index of it have in common for all ranks.
#pragma once

#include "pattern/hash.h"

#include <cstdint>

namespace linerate::pattern {

// What is constant over a range of elements; made by plan_of() (pattern/plan.h).
struct Plan {
  std::uint64_t seed = 0;
  std::uint32_t nranks = 1;           // 1..65536
  std::uint32_t active = 1;           // 1..nranks
  std::uint32_t rank = 0;             // of an input; may exceed nranks
  std::uint32_t rank_in_turn = 0;     // rank modulo nranks
  std::uint32_t weight = 0;           // mulsum: odd ranks count 1 + weight times
  std::uint32_t divisor = 1;          // avg: nranks
  std::uint32_t exponent_mask = 0;    // sums of floats: how far the exponent varies
  std::uint32_t shared_sign = 0;      // sums of floats: all ones where all ranks have one sign
  std::uint64_t magnitude_mask = 0;   // sums of floats: the integers are 1 … mask + 1
  std::uint64_t magnitude_floor = 0;  // avg: they are at least floor + 1
  std::uint32_t winner = 0;           // max: 1, min: 0
};

// What all ranks share at one index.
struct Spot {
  std::uint32_t hash = 0;
  std::uint32_t start = 0;  // the active ranks are start, start + 1, … modulo nranks
};

LINERATE_ELEMENT constexpr Spot spot_of(const Plan& plan, const BlockKey& key,
                                        std::uint32_t thread) {
  const std::uint32_t hash = index_hash(key, thread);
  return {hash, ((hash >> 16) * plan.nranks) >> 16};
}
LINERATE_ELEMENT constexpr std::uint32_t rank_at(const Plan& plan, std::uint32_t start,
                                                 std::uint32_t turn) {
  const std::uint32_t rank = start + turn;
  return rank >= plan.nranks ? rank - plan.nranks : rank;
}
LINERATE_ELEMENT constexpr std::uint32_t turn_of(const Plan& plan, std::uint32_t start) {
  const std::uint32_t rank = plan.rank_in_turn;
  return rank >= start ? rank - start : rank + plan.nranks - start;
}

template <bool kWide>
struct Words {
  using Unsigned = std::uint32_t;
  using Signed = std::int32_t;
  using Float = float;
};
template <>
struct Words<true> {
  using Unsigned = std::uint64_t;
  using Signed = std::int64_t;
  using Float = double;
};
// Arithmetic on elements of format F: 64-bit for 8-byte elements, 32-bit for all others.
template <typename F>
using Word = typename Words<sizeof(typename F::Bits) == 8>::Unsigned;
template <typename F>
using SignedWord = typename Words<sizeof(typename F::Bits) == 8>::Signed;
template <typename F>
using FloatWord = typename Words<sizeof(typename F::Bits) == 8>::Float;

// As many random bits as the word has, and its upper 32.
template <typename F>
LINERATE_ELEMENT constexpr Word<F> word_of(std::uint32_t hash) {
  if constexpr (sizeof(Word<F>) == 8)
    return doubled(hash);
  else
    return hash;
}
template <typename F>
LINERATE_ELEMENT constexpr std::uint32_t top_of(Word<F> word) {
  return static_cast<std::uint32_t>(word >> (8 * sizeof(Word<F>) - 32));
}

}  // namespace linerate::pattern
