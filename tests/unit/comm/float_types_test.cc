// Software floats: what the rounding and the subnormals of each type must give.
#include "comm/float_types.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace linerate {
namespace {

template <typename T>
class SmallFloats : public ::testing::Test {};
using Types = ::testing::Types<Half, BFloat16, F8E4M3, F8E5M2>;
TYPED_TEST_SUITE(SmallFloats, Types);

TYPED_TEST(SmallFloats, KeepZeroAndItsSign) {
  EXPECT_EQ(TypeParam(0.0f).bits, 0);
  EXPECT_EQ(static_cast<float>(TypeParam(0.0f)), 0.0f);
  EXPECT_TRUE(std::signbit(static_cast<float>(TypeParam(-0.0f))));
}

TYPED_TEST(SmallFloats, ComeBackFromFloatAsTheyWentThere) {
  using Bits = decltype(TypeParam::bits);
  for (std::uint32_t raw = 0; raw < (std::uint64_t{1} << (8 * sizeof(Bits))); ++raw) {
    const auto value = TypeParam::from_bits(static_cast<Bits>(raw));
    const auto wide = static_cast<float>(value);
    if (std::isnan(wide)) continue;
    ASSERT_EQ(TypeParam(wide).bits, value.bits) << wide;
  }
}

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  for (std::uint32_t raw = 0; raw < 0x7f80u; ++raw)
    ASSERT_EQ(static_cast<float>(BFloat16::from_bits(static_cast<std::uint16_t>(raw))),
              std::bit_cast<float>(raw << 16));
}

TEST(BFloat16, RoundsSubnormalsToNearestEven) {
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x00008000u)).bits, 0);  // halfway to the least one
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x00008001u)).bits, 1);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x00018000u)).bits, 2);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x007fffffu)).bits, 0x80);  // up to the least normal
}

TEST(Half, KnowsItsLandmarks) {
  EXPECT_EQ(Half(1.0f).bits, 0x3c00);
  EXPECT_EQ(Half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);  // rounds to infinity
  EXPECT_EQ(static_cast<float>(Half::from_bits(1)), 0x1p-24f);
}

TEST(F8E4M3, ClampsToItsLargestFinite) {
  EXPECT_EQ(static_cast<float>(F8E4M3(1000.0f)), 448.0f);
  EXPECT_TRUE(std::isnan(static_cast<float>(F8E4M3::from_bits(0x7f))));
}

}  // namespace
}  // namespace linerate
