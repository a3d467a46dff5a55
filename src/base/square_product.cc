// Rows of B that stay in the first cache are added to each row of C at once, so that most of the
// time is multiplication.
#include "base/square_product.h"

#include "base/simd.h"

#include <cstring>

namespace linerate {
namespace {

constexpr std::size_t kRowsOfB = SquareProduct::kMultiple;

// c[j] += a[0] b[0][j] + … + a[7] b[7][j]
LINERATE_INLINE void add_rows(float* __restrict c, const float* __restrict a,
                              const float* __restrict b, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    float sum = c[j];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRowsOfB; ++r) sum += a[r] * b[r * n + j];
    c[j] = sum;
  }
}

LINERATE_INLINE void multiply(const SquareProduct& what) {
  const std::size_t n = what.n;
  std::memset(what.c, 0, n * n * sizeof(float));
  for (std::size_t p = 0; p < n; p += kRowsOfB)
    for (std::size_t i = 0; i < n; ++i)
      add_rows(what.c + i * n, what.a + i * n + p, what.b + p * n, n);
}

LINERATE_AVX512 void multiply_avx512(const SquareProduct& what) { multiply(what); }
LINERATE_AVX2 void multiply_avx2(const SquareProduct& what) { multiply(what); }

}  // namespace

void multiply_squares(const SquareProduct& what) {
  if (has_avx512()) return multiply_avx512(what);
  if (has_avx2()) return multiply_avx2(what);
  multiply(what);
}

}  // namespace linerate
