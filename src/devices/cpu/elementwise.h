// Loops over arrays of one arithmetic type: combine, scale, divide; for the best instruction set
// here.
#pragma once

#include "comm/red_op.h"

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

}  // namespace linerate::cpu
