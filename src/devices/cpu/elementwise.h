// Loops over arrays for the best instruction set here: combine, scale and divide those of one
// arithmetic type, and turn half, bfloat16 and fp8 into float and back without a branch per
// element.
#pragma once

#include "comm/data_type.h"
#include "comm/float_types.h"

#include <cstddef>

namespace linerate::cpu {

// Arrays may be unaligned; `dst` is one of the inputs or overlaps none. Integers wrap around.
template <typename T>
struct Elementwise {
  // dst[i] = a[i] op b[i]; avg and mulsum add.
  void (*combine)(void* dst, const void* a, const void* b, std::size_t count) = nullptr;
  // dst[i] = a[i] * factor; an integer's factor is truncated first.
  void (*scale)(void* dst, const void* a, double factor, std::size_t count) = nullptr;
  // dst[i] = a[i] / divisor, truncating for integers.
  void (*divide)(void* dst, const void* a, int divisor, std::size_t count) = nullptr;
};

// T is an integer of 1, 4 or 8 bytes, float or double.
template <typename T>
Elementwise<T> elementwise(RedOp op);

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
