// Arrays of half, bfloat16 and fp8 to float and back, without a branch per element.
#pragma once

#include "comm/float_types.h"

#include <cstddef>

namespace linerate::cpu {

// Small arrays may be unaligned. The values are those of T's own conversions (comm/float_types.h);
// a NaN stays one, but its payload is unspecified.
template <typename T>
struct Conversion {
  void (*widen)(float* dst, const void* src, std::size_t count) = nullptr;
  void (*narrow)(void* dst, const float* src, std::size_t count) = nullptr;
};

// T is Half, BFloat16, F8E4M3 or F8E5M2. The fastest that this processor has.
template <typename T>
Conversion<T> conversion();

// The same without special instructions, for comparison.
template <typename T>
Conversion<T> portable_conversion();

}  // namespace linerate::cpu
