// Products of matrices that fit in a cache: what attention and gemm_in_fixed_blocks are made of.
#pragma once

#include <cstddef>

namespace linerate::cpu {

// Elements that the columns of B and C are padded to: a cache line, the longest vector.
template <typename W>
inline constexpr std::size_t kLine = 64 / sizeof(W);

constexpr std::size_t padded(std::size_t count, std::size_t to) {
  return (count + to - 1) / to * to;
}

// C[m, n] = A[m, k] B[k, n], plus C where it accumulates. Element (i, p) of A lies at
// a[i * a_row + p * a_column]; rows of B and C are contiguous, n is a multiple of kLine.
template <typename W>
struct Product {
  std::size_t m = 0, n = 0, k = 0;
  const W* a = nullptr;
  std::size_t a_row = 0, a_column = 1;
  const W* b = nullptr;
  std::size_t ldb = 0;
  W* c = nullptr;
  std::size_t ldc = 0;
  bool accumulates = false;
};

// Each element's sum goes over k in order, whatever m and n are. W is float or double.
template <typename W>
void multiply(const Product<W>& what);

}  // namespace linerate::cpu
