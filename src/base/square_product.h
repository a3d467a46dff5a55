// A product of matrices that needs no library: it keeps a core's vector units busy, at less than
// the speed of a BLAS.
#pragma once

#include <cstddef>

namespace linerate {

// Float matrices of `n` rows and columns, row after row. They do not overlap.
struct SquareProduct {
  static constexpr std::size_t kMultiple = 8;  // n is one

  std::size_t n = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
};

// C = A B, on the calling thread, by the widest vectors that it has.
void multiply_squares(const SquareProduct& what);

}  // namespace linerate
