// Some rows by two vectors of C stay in registers while their sums go over k.
#include "devices/cpu/math/product.h"

#include "devices/cpu/math/vector.h"

namespace linerate::cpu {
namespace {

// kRows rows of C by kVectors vectors from (i, j) on.
template <typename S, std::size_t kRows, std::size_t kVectors, typename W>
LINERATE_INLINE void multiply_tile(const Product<W>& what, std::size_t i, std::size_t j) {
  typename S::V sums[kRows][kVectors];
  W* const c = what.c + i * what.ldc + j;
  const auto each = [&](const auto& body) LINERATE_KERNEL {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) body(r, v);
  };
  each([&](std::size_t r, std::size_t v) LINERATE_KERNEL {
    sums[r][v] = what.accumulates ? S::load(c + r * what.ldc + v * S::kLanes) : typename S::V{};
  });
  const W* a = what.a + i * what.a_row;
  const W* b = what.b + j;
  for (std::size_t p = 0; p < what.k; ++p, a += what.a_column, b += what.ldb) {
    typename S::V row[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = S::load(b + v * S::kLanes);
    each([&](std::size_t r, std::size_t v)
             LINERATE_KERNEL { sums[r][v] += a[r * what.a_row] * row[v]; });
  }
  each([&](std::size_t r, std::size_t v)
           LINERATE_KERNEL { S::store(c + r * what.ldc + v * S::kLanes, sums[r][v]); });
}

template <typename S, std::size_t kRows, typename W>
LINERATE_INLINE void multiply_rows(const Product<W>& what, std::size_t i) {
  std::size_t j = 0;
  for (; j + 2 * S::kLanes <= what.n; j += 2 * S::kLanes) multiply_tile<S, kRows, 2>(what, i, j);
  if (j < what.n) multiply_tile<S, kRows, 1>(what, i, j);
}

}  // namespace

template <typename W>
void multiply(const Product<W>& what) {
  vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
    using S = Simd<W, Isa>;
    std::size_t i = 0;
    for (; i + Isa::kRows <= what.m; i += Isa::kRows) multiply_rows<S, Isa::kRows>(what, i);
    for (; i < what.m; ++i) multiply_rows<S, 1>(what, i);
  });
}

template void multiply(const Product<float>&);
template void multiply(const Product<double>&);

}  // namespace linerate::cpu
