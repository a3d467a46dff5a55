// What a range of elements and one index of it have in common for all ranks.
#pragma once

#include <cstdint>

// A GPU's compiler needs to be told which functions also run there.
#if defined(__CUDACC__)
#define LINERATE_ELEMENT __host__ __device__ __forceinline__
#else
#define LINERATE_ELEMENT [[gnu::always_inline]] inline
#endif

namespace linerate::pattern {

constexpr std::uint32_t kGolden32 = 0x9e3779b9u;            // 2^32 / golden ratio
constexpr std::uint64_t kGolden64 = 0x9e3779b97f4a7c15ull;  // 2^64 / golden ratio

// Bijective; each input bit flips each output bit about half of the time. Multipliers and shifts:
// MurmurHash3's finalisers by A. Appleby, public domain.
LINERATE_ELEMENT constexpr std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}
LINERATE_ELEMENT constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

// Elements that share a block share a key, so that only 32-bit arithmetic is left per element.
constexpr int kBlockBits = 12;
constexpr std::uint64_t kBlockElements = 1ull << kBlockBits;

struct BlockKey {
  std::uint32_t index_key = 0;
  std::uint32_t rank_key = 0;
};

LINERATE_ELEMENT constexpr BlockKey block_key(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t key = mixed(mixed(seed + kGolden64) ^ ((index >> kBlockBits) * kGolden64));
  return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

// Shared by all ranks at one index. `offset` is the index within its block.
LINERATE_ELEMENT constexpr std::uint32_t index_hash(const BlockKey& key, std::uint32_t offset) {
  return mixed(key.index_key + offset * kGolden32);
}

// Of one rank at the index that has `of_index`.
LINERATE_ELEMENT constexpr std::uint32_t rank_hash(const BlockKey& key, std::uint32_t of_index,
                                                   std::uint32_t rank) {
  return mixed(of_index ^ mixed(rank * kGolden32 + key.rank_key));
}

// A second word where 32 random bits are too few.
LINERATE_ELEMENT constexpr std::uint64_t doubled(std::uint32_t hash) {
  return std::uint64_t{mixed(hash ^ kGolden32)} << 32 | hash;
}

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
                                        std::uint32_t offset) {
  const std::uint32_t hash = index_hash(key, offset);
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
