// Products of equal bits wherever matrices lie, and what tells those of others.
#include "devices/cpu/math/cpu_math.h"
#include "devices/cpu/math/kernels.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace linerate {
namespace {

std::vector<Gemm> some_products(DataType type) {
  std::vector<Gemm> products;
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      for (const auto& [m, n, k] :
           {std::array<std::size_t, 3>{1, 7, 300}, {37, 53, 29}, {130, 270, 64}, {64, 32, 513}})
        products.push_back({.m = m,
                            .n = n,
                            .k = k,
                            .c = {nullptr, type},
                            .transpose_a = transpose_a,
                            .transpose_b = transpose_b,
                            .accumulates = transpose_a});
  return products;
}

TEST(GemmBits, AreStableInFixedBlocks) {
  for (const DataType type :
       {DataType::float32, DataType::float64, DataType::bfloat16, DataType::float16})
    EXPECT_TRUE(gemm_bits_are_stable(cpu::gemm_in_fixed_blocks, some_products(type)))
        << name_of(type);
}

// A product that is right but sums backwards where `unlike` says so, as a library may choose
// another kernel.
template <typename Unlike>
auto gemm_that_sums_backwards(Unlike unlike) {
  return [unlike](const Gemm& what) {
    const bool backwards = unlike(what);
    const auto at = [](const Array& array, std::size_t i) -> float& {
      return reinterpret_cast<float*>(array.data)[i];
    };
    for (std::size_t i = 0; i < what.m; ++i)
      for (std::size_t j = 0; j < what.n; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < what.k; ++p) {
          const std::size_t from = backwards ? what.k - 1 - p : p;
          sum += at(what.a, i * what.lda + from) * at(what.b, from * what.ldb + j);
        }
        at(what.c, i * what.ldc + j) = sum;
      }
  };
}

TEST(GemmBits, AreFoundToDependOnAlignmentOnRowsAndOnSizes) {
  const Gemm product{.m = 37, .n = 53, .k = 29};
  const auto stable = [&](auto unlike) {
    return gemm_bits_are_stable(gemm_that_sums_backwards(unlike), {&product, 1});
  };

  EXPECT_TRUE(stable([](const Gemm&) { return false; }));
  EXPECT_FALSE(stable(
      [](const Gemm& what) { return reinterpret_cast<std::uintptr_t>(what.b.data) % 64 == 20; }));
  EXPECT_FALSE(stable([](const Gemm& what) { return what.ldb == 56; }));
  EXPECT_FALSE(stable([](const Gemm& what) { return what.m < 37; }));
  EXPECT_FALSE(stable([](const Gemm& what) { return what.n < 53; }));
}

}  // namespace
}  // namespace linerate
