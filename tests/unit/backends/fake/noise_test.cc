// The counter-based noise: reproducible, and of the distribution it claims.
#include "backends/fake/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace linerate::fake {
namespace {

constexpr int kDraws = 100'000;

TEST(Noise, IsAFunctionOfItsCoordinatesOnly) {
  EXPECT_EQ(mixed(1, 2), mixed(1, 2));
  EXPECT_NE(mixed(1, 2), mixed(2, 1));
  EXPECT_EQ(normal(42), normal(42));
}

TEST(Noise, IsUniformBetweenZeroAndOne) {
  double sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = uniform(mixed(1, i));
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }

  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
}

TEST(Noise, HasMeanZeroAndDeviationOne) {
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double z = normal(mixed(1, i));
    sum += z;
    squares += z * z;
  }

  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 1, 0.02);
}

}  // namespace
}  // namespace linerate::fake
