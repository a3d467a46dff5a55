// Integer hashes behind the generator: pure, vectorisable, usable on a GPU.
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

// Shared by all ranks at one index. `thread` is the index within its block.
LINERATE_ELEMENT constexpr std::uint32_t index_hash(const BlockKey& key, std::uint32_t thread) {
  return mixed(key.index_key + thread * kGolden32);
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

}  // namespace linerate::pattern
