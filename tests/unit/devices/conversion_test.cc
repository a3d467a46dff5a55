// Array conversions against the one-element conversions of comm/float_types.h, and the compiler's.
#include "devices/cpu/elementwise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace linerate::cpu {
namespace {

template <typename T>
std::vector<T> all_values() {
  std::vector<T> values;
  for (std::uint32_t raw = 0; raw < (1u << (8 * sizeof(T))); ++raw)
    values.push_back(T::from_bits(static_cast<decltype(T::bits)>(raw)));
  return values;
}

// Every magnitude class of a float, many times: random bits, and the neighbours of ties.
template <typename T>
std::vector<float> hard_floats() {
  std::mt19937 random(3);
  std::vector<float> values{0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-45f, 3e38f, 65520.0f, 448.0f};
  for (int i = 0; i < 200000; ++i)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  for (const T value : all_values<T>()) {
    const float exact = static_cast<float>(value);
    const float next =
        static_cast<float>(T::from_bits(static_cast<decltype(T::bits)>(value.bits + 1)));
    const float tie = exact + (next - exact) / 2;
    values.insert(values.end(), {exact, tie, std::nextafter(tie, 1e30f), std::nextafter(tie, 0.f)});
  }
  return values;
}

template <typename T>
void expect_widens(const Conversion<T>& conversion) {
  const auto values = all_values<T>();
  std::vector<float> wide(values.size());

  conversion.widen(wide.data(), values.data(), values.size());

  for (std::size_t i = 0; i < values.size(); ++i) {
    const float wanted = static_cast<float>(values[i]);
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(wide[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(wanted)) << i;
    }
  }
}

template <typename T>
void expect_narrows(const Conversion<T>& conversion) {
  const auto values = hard_floats<T>();
  std::vector<T> narrow(values.size());

  conversion.narrow(narrow.data(), values.data(), values.size());

  for (std::size_t i = 0; i < values.size(); ++i) {
    const T wanted(values[i]);
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(static_cast<float>(narrow[i]))) << i;
    } else {
      ASSERT_EQ(narrow[i].bits, wanted.bits) << values[i];
    }
  }
}

template <typename T>
class Conversions : public testing::Test {};
using Types = testing::Types<Half, BFloat16, F8E4M3, F8E5M2>;
TYPED_TEST_SUITE(Conversions, Types);

TYPED_TEST(Conversions, WidenEveryValueExactly) {
  expect_widens(conversion<TypeParam>());
  expect_widens(portable_conversion<TypeParam>());
}

TYPED_TEST(Conversions, NarrowToTheNearestEven) {
  expect_narrows(conversion<TypeParam>());
  expect_narrows(portable_conversion<TypeParam>());
}

TYPED_TEST(Conversions, TouchOnlyTheElementsAskedFor) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<float> wide(count + 1, 2.0f);
    std::vector<TypeParam> narrow(count + 1, TypeParam(1.0f));
    const std::vector<TypeParam> ones(count, TypeParam(1.0f));
    const std::vector<float> twos(count, 2.0f);

    conversion<TypeParam>().widen(wide.data(), ones.data(), count);
    conversion<TypeParam>().narrow(narrow.data(), twos.data(), count);

    EXPECT_EQ(wide.back(), 2.0f);
    EXPECT_EQ(narrow.back().bits, TypeParam(1.0f).bits);
  }
}

#if defined(__FLT16_MANT_DIG__)
TEST(HalfConversion, AgreesWithTheCompilersOwnType) {
  for (const Half half : all_values<Half>()) {
    const auto native = std::bit_cast<_Float16>(half.bits);
    if (native != native) continue;
    ASSERT_EQ(static_cast<float>(half), static_cast<float>(native));
  }
  for (const float value : hard_floats<Half>()) {
    if (std::isnan(value)) continue;
    const auto native = static_cast<_Float16>(value);
    ASSERT_EQ(Half(value).bits, std::bit_cast<std::uint16_t>(native)) << value;
  }
}
#endif

}  // namespace
}  // namespace linerate::cpu
