// A permutation of 2^(2k) >= count numbers by a Feistel network; what lands beyond count is
// permuted again until it does not (cycle walking; Black & Rogaway 2002). Of four numbers less than
// three on average land beyond.
#include "trainers/data/sampler.h"

#include "base/splitmix.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace linerate::trainers {
namespace {

constexpr int kRounds = 6;

std::uint64_t feistel(std::uint64_t number, unsigned half_bits, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = number >> half_bits, right = number & mask;
  for (int round = 0; round < kRounds; ++round) {
    key += kSplitMixStep;
    const auto mixed = left ^ (splitmix64(key ^ splitmix64(right)) & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits | right;
}

}  // namespace

Share share_of(std::uint64_t count, int rank, int nranks) {
  assert(rank >= 0 && rank < nranks);
  const auto index = static_cast<std::uint64_t>(rank), of = static_cast<std::uint64_t>(nranks);
  return {.first = count / of * index + std::min(index, count % of),
          .count = count / of + (index < count % of ? 1 : 0)};
}

std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t key) {
  assert(index < count);
  const auto half_bits = static_cast<unsigned>(std::bit_width(count - 1) + 1) / 2;
  if (half_bits == 0) return index;
  auto number = feistel(index, half_bits, key);
  while (number >= count) number = feistel(number, half_bits, key);
  return number;
}

std::uint64_t Sampler::sequence(std::uint64_t step, std::uint64_t index) const {
  assert(index < batch);
  const auto position = step * batch + index;
  if (!sequences) return position;
  const auto epoch = position / *sequences;
  return permuted(position % *sequences, *sequences, splitmix64(seed) + epoch);
}

}  // namespace linerate::trainers
