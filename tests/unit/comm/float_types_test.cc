// Software floats: what the rounding and the subnormals of each type must give.
#include "comm/float_types.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

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

// The value of the magnitude `bits` by the definition of the format, if no exponent were reserved.
template <typename T>
double defined(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> T::kMantissaBits);
  const auto mantissa = static_cast<int>(bits & ((1u << T::kMantissaBits) - 1));
  const int leading = exponent > 0 ? 1 << T::kMantissaBits : 0;
  return std::ldexp(leading + mantissa, std::max(exponent, 1) - T::kBias - T::kMantissaBits);
}

// The magnitude nearest to a positive value, by bisection; ties go to the even one.
template <typename T>
std::uint32_t nearest(double value, std::uint32_t overflow) {
  std::uint32_t below = 0, above = overflow;
  while (above - below > 1) {
    const std::uint32_t middle = (below + above) / 2;
    (defined<T>(middle) <= value ? below : above) = middle;
  }
  const double down = value - defined<T>(below), up = defined<T>(above) - value;
  return down < up || (down == up && below % 2 == 0) ? below : above;
}

TYPED_TEST(SmallFloats, AreTheNearestByDefinitionOfEveryKindOfFloat) {
  const bool saturates = std::is_same_v<TypeParam, F8E4M3>;
  const std::uint32_t overflow = TypeParam(3e38f * 10).bits;  // infinity, or the largest finite one
  std::mt19937 random(4);
  std::vector<float> values{0.0f, 1e-45f, 3.4e38f};
  for (std::uint32_t bits = 0; bits < overflow; ++bits) {
    const double least = defined<TypeParam>(bits), next = defined<TypeParam>(bits + 1);
    const auto tie = static_cast<float>((least + next) / 2);
    for (const float value : {static_cast<float>(least), tie, std::nextafter(tie, 0.0f),
                              std::nextafter(tie, INFINITY), std::ldexp(tie, -20)})
      values.push_back(value);
  }
  for (int i = 0; i < 100000; ++i)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random() >> 1)));

  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const std::uint32_t wanted =
        saturates && value > 448.0f ? overflow : nearest<TypeParam>(value, overflow);
    ASSERT_EQ(TypeParam(value).bits, wanted) << value;
    ASSERT_EQ(TypeParam(-value).bits & (TypeParam(-0.0f).bits - 1u), wanted) << -value;
    if (wanted == overflow) continue;
    ASSERT_EQ(static_cast<float>(TypeParam(value)), defined<TypeParam>(wanted)) << value;
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

template <typename T>
float value_of(unsigned bits) {
  return static_cast<float>(T::from_bits(static_cast<decltype(T::bits)>(bits)));
}

TEST(F8E4M3, HasTheLimitsOfTheStandard) {
  EXPECT_EQ(value_of<F8E4M3>(0x7e), 448.0f);
  EXPECT_EQ(value_of<F8E4M3>(0x08), 0x1p-6f);
  EXPECT_EQ(value_of<F8E4M3>(0x07), 0.875f * 0x1p-6f);
  EXPECT_EQ(value_of<F8E4M3>(0x01), 0x1p-9f);
  EXPECT_TRUE(std::isnan(value_of<F8E4M3>(0x7f)));
  EXPECT_TRUE(std::isnan(value_of<F8E4M3>(0xff)));
}

TEST(F8E4M3, HasNoInfinity) {
  for (unsigned bits = 0; bits < 256; ++bits) EXPECT_FALSE(std::isinf(value_of<F8E4M3>(bits)));
  EXPECT_EQ(F8E4M3(INFINITY).bits, 0x7e);
  EXPECT_EQ(F8E4M3(-1e30f).bits, 0xfe);
}

TEST(F8E5M2, HasTheLimitsOfTheStandard) {
  EXPECT_EQ(value_of<F8E5M2>(0x7b), 57344.0f);
  EXPECT_EQ(value_of<F8E5M2>(0x04), 0x1p-14f);
  EXPECT_EQ(value_of<F8E5M2>(0x01), 0x1p-16f);
  EXPECT_EQ(value_of<F8E5M2>(0x7c), INFINITY);
  EXPECT_EQ(value_of<F8E5M2>(0xfc), -INFINITY);
  for (const unsigned bits : {0x7du, 0x7eu, 0x7fu, 0xfdu})
    EXPECT_TRUE(std::isnan(value_of<F8E5M2>(bits)));
}

TEST(F8E5M2, RoundsTooLargeValuesToInfinity) {
  EXPECT_EQ(F8E5M2(61439.0f).bits, 0x7b);
  EXPECT_EQ(F8E5M2(61440.0f).bits, 0x7c);  // the tie goes to the even pattern
}

TEST(Half, RoundsTiesToEven) {
  EXPECT_EQ(static_cast<float>(Half(2049.0f)), 2048.0f);
  EXPECT_EQ(static_cast<float>(Half(2051.0f)), 2052.0f);
  EXPECT_EQ(Half(0x1p-25f).bits, 0u);  // half of the least subnormal
  EXPECT_EQ(Half(0x1.8p-25f).bits, 1u);
  EXPECT_EQ(Half(-0x1p-24f).bits, 0x8001u);
}

TEST(BFloat16, RoundsTiesToEvenAndOverflowsToInfinity) {
  EXPECT_EQ(static_cast<float>(BFloat16(257.0f)), 256.0f);
  EXPECT_EQ(static_cast<float>(BFloat16(259.0f)), 260.0f);
  EXPECT_EQ(BFloat16(3.4e38f).bits, 0x7f80u);
}

TEST(SmallFloats, KeepNansNans) {
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(NAN))));
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(NAN))));
  EXPECT_TRUE(std::isnan(static_cast<float>(F8E4M3(NAN))));
  EXPECT_TRUE(std::isnan(static_cast<float>(F8E5M2(NAN))));
}

}  // namespace

}  // namespace linerate
