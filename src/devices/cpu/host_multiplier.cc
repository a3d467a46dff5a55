// Rows of B that stay in the first cache are added to each row of C at once, so that most of the
// time is multiplication.
#include "devices/cpu/host_multiplier.h"

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

LINERATE_INLINE void multiply_rows(const SquareProduct& what) {
  const std::size_t n = what.n;
  const auto* const a = reinterpret_cast<const float*>(what.a);
  const auto* const b = reinterpret_cast<const float*>(what.b);
  auto* const c = reinterpret_cast<float*>(what.c);
  std::memset(c, 0, n * n * sizeof(float));
  for (std::size_t p = 0; p < n; p += kRowsOfB)
    for (std::size_t i = 0; i < n; ++i) add_rows(c + i * n, a + i * n + p, b + p * n, n);
}

LINERATE_AVX512 void multiply_rows_avx512(const SquareProduct& what) { multiply_rows(what); }
LINERATE_AVX2 void multiply_rows_avx2(const SquareProduct& what) { multiply_rows(what); }

void multiply_now(const SquareProduct& what) {
  if (has_avx512()) return multiply_rows_avx512(what);
  if (has_avx2()) return multiply_rows_avx2(what);
  multiply_rows(what);
}

}  // namespace

void HostMultiplier::multiply(const SquareProduct& what, Stream& stream) {
  stream.run([what] { multiply_now(what); });
}

}  // namespace linerate
