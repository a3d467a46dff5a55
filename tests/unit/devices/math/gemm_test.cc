// Products against a float64 loop: both implementations, every type, transposition and stride.
#include "unit/devices/math/math_fixture.h"

namespace linerate::math_test {
namespace {

// Where the elements of a product's matrices lie.
struct Product {
  std::size_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false, accumulates = false;
  std::size_t padding = 0;  // of each row, in elements

  std::size_t lda() const { return (transpose_a ? m : k) + padding; }
  std::size_t ldb() const { return (transpose_b ? k : n) + padding; }
  std::size_t ldc() const { return n + padding; }
  std::size_t a_count() const { return lda() * (transpose_a ? k : m); }
  std::size_t b_count() const { return ldb() * (transpose_b ? n : k); }
  std::size_t c_count() const { return ldc() * m; }
  Gemm gemm(Tensor& a, Tensor& b, Tensor& c) const {
    return {m,           n,           k,     a.array(), b.array(), c.array(),
            transpose_a, transpose_b, lda(), ldb(),     ldc(),     accumulates};
  }
};

// C before the call is `c`; what lies between its rows stays.
Values naive_product(const Product& what, const Values& a, const Values& b, Values c) {
  for (std::size_t i = 0; i < what.m; ++i)
    for (std::size_t j = 0; j < what.n; ++j) {
      double& out = c[i * what.ldc() + j];
      if (!what.accumulates) out = 0;
      for (std::size_t p = 0; p < what.k; ++p)
        out += a[what.transpose_a ? p * what.lda() + i : i * what.lda() + p] *
               b[what.transpose_b ? j * what.ldb() + p : p * what.ldb() + j];
    }
  return c;
}

std::vector<Product> products() {
  std::vector<Product> all;
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      for (const bool accumulates : {false, true})
        for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                                      {1, 37, 5},
                                      {31, 1, 64},
                                      {64, 48, 32},
                                      {37, 53, 29}})
          all.push_back({m, n, k, transpose_a, transpose_b, accumulates, m % 3});
  // Several blocks of rows and of depth, with rests: once for each transposition.
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      all.push_back({129, 65, 300, transpose_a, transpose_b, transpose_a != transpose_b, 1});
  return all;
}

class EveryGemm : public EveryType {
 protected:
  void check(Math& by) {
    for (const Product& what : products()) {
      Tensor a = random(what.a_count(), 1), b = random(what.b_count(), 2);
      Tensor c = random(what.c_count(), 3);
      const Values expected = naive_product(what, a.values(), b.values(), c.values());

      by.gemm(what.gemm(a, b, c), stream());

      expect_close(c, expected, 4);
    }
  }
};

TEST_P(EveryGemm, IsTheProduct) { check(math()); }

TEST_P(EveryGemm, IsTheProductInFixedBlocks) { check(*make_cpu_math({.fixed_blocks = true})); }

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryGemm, kEveryType, type_name);

}  // namespace
}  // namespace linerate::math_test
