// Random numbers that are a pure function of (seed, stream, position).
#pragma once

#include "base/splitmix.h"

#include <cstdint>

namespace linerate::trainers {

class Draws {
 public:
  // One stream of a seed: a sequence of tokens, or a row of a table.
  constexpr Draws(std::uint64_t seed, std::uint64_t stream)
      : state_(splitmix64(splitmix64(seed) + stream * kSplitMixStep)) {}

  constexpr std::uint64_t at(std::uint64_t position) const {
    return splitmix64(state_ + position * kSplitMixStep);
  }
  // Of [0, bound), each with the same probability but for bound / 2^64.
  constexpr std::uint64_t below(std::uint64_t bound, std::uint64_t position) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(at(position)) * bound) >> 64);
  }
  // In [0, 1).
  constexpr double fraction(std::uint64_t position) const {
    return static_cast<double>(at(position) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

}  // namespace linerate::trainers
