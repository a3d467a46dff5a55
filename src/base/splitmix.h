// SplitMix64 (Steele, Lea and Flood 2014): 64 random bits from each 64-bit state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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

// The bits of a seed, one after the other: the same on every machine.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return splitmix64(std::exchange(state_, state_ + kSplitMixStep)); }
  // From 0 to below - 1; the bias of the remainder is below / 2^64. REQUIRES: below > 0.
  std::size_t below(std::size_t below) { return static_cast<std::size_t>(next() % below); }
  // Fisher and Yates.
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[below(n)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace linerate
