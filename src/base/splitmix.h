// SplitMix64 (Steele, Lea and Flood 2014): 64 random bits from each 64-bit state.
#pragma once

#include <cstdint>

namespace linerate {

// From a state to the next one of a sequence.
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio

// What the state after `state` yields.
constexpr std::uint64_t splitmix64(std::uint64_t state) {
  std::uint64_t x = state + kSplitMixStep;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace linerate
