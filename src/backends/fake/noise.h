// Random numbers by counter: the value depends on its coordinates only, not on who asks first.
#pragma once

#include "base/splitmix.h"

#include <cstdint>

namespace linerate::fake {

constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return splitmix64(splitmix64(a) ^ b);
}

// In [0, 1).
constexpr double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// Mean 0, deviation 1, within +-6: the sum of 12 uniforms. Unlike a logarithm it needs no library,
// so it is the same on every machine.
constexpr double normal(std::uint64_t bits) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += uniform(mixed(bits, i));
  return sum;
}

}  // namespace linerate::fake
