// The limits of the small types: IEEE 754 half, bfloat16, and OCP's 8-bit formats (OFP8 1.0, table
// 1).
#include "comm/float_types.h"

#include <gtest/gtest.h>

#include <cmath>

namespace linerate {
namespace {

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
