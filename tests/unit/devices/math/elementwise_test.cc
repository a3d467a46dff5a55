// Sums, factors, biases, conversions and dropout.
#include "unit/devices/math/math_fixture.h"

namespace linerate::math_test {
namespace {

class EveryElement : public EveryType {};

TEST_P(EveryElement, AddsAndScales) {
  for (const std::size_t count : {1u, 16u, 1009u}) {
    Tensor a = random(count, 1), b = random(count, 2);
    Values sums = a.values();
    const Values added = b.values();
    for (std::size_t i = 0; i < count; ++i) sums[i] += added[i];

    math().add(a.array(), a.array(), b.array(), count, stream());
    expect_close(a, sums);
    Values scaled = a.values();
    for (double& value : scaled) value /= 3;
    math().scale(a.array(), 1.0 / 3, count, stream());
    expect_close(a, scaled);
  }
}

TEST_P(EveryElement, AddsABiasToEachRowAndSumsItsGradient) {
  for (const std::size_t columns : {1u, 37u, 64u}) {
    constexpr std::size_t kRows = 70;
    Tensor y = random(kRows * columns, 1), bias = random(columns, 2);
    const Values added = bias.values();
    Values with_bias = y.values(), gradient = added;
    for (std::size_t i = 0; i < with_bias.size(); ++i) {
      gradient[i % columns] += with_bias[i];
      with_bias[i] += added[i % columns];
    }
    Tensor dbias(GetParam(), added);

    math().bias_backward(dbias.array(), y.array(), kRows, columns, stream());
    math().add_bias(y.array(), bias.array(), kRows, columns, stream());

    expect_close(dbias, gradient, 2);
    expect_close(y, with_bias);
  }
}

TEST_P(EveryElement, CastsToEachTypeRoundingToNearestEven) {
  Values values = random_values(1009, 1);
  // Ties of bfloat16 and float16, and values beside them that only float64 tells from a tie.
  for (const double unit : {0x1p-7, 0x1p-10})
    for (const double odd : {1.0, 3.0})
      for (const double offset : {-0x1p-40, 0.0, 0x1p-40})
        values.push_back(1 + odd * unit / 2 + offset);
  values.insert(values.end(), {0.0, -0.0, INFINITY, -INFINITY, 1e-30, 70000, -70000, 1e300});
  Tensor from(GetParam(), values);

  for (const DataType type :
       {DataType::float32, DataType::float64, DataType::bfloat16, DataType::float16}) {
    Tensor to(type, Values(from.count()));

    math().cast(to.array(), from.array(), from.count(), stream());

    const Values exact = from.values(), cast = to.values();
    const int digits = type == DataType::float64   ? 53
                       : type == DataType::float32 ? 24
                       : type == DataType::float16 ? 11
                                                   : 8;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const bool wide = type == DataType::float64 || type == DataType::float32;
      if (!std::isfinite(exact[i]) || std::abs(exact[i]) > (wide ? 1e38 : 6e4) ||
          std::abs(exact[i]) < 1e-4)
        continue;
      int exponent = 0;
      const double fraction = std::frexp(exact[i], &exponent);
      const double rounded =
          std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
      ASSERT_EQ(cast[i], rounded) << name_of(type) << " of " << exact[i];
    }
  }
}

TEST_P(EveryElement, CastKeepsInfinityNanAndOverflows) {
  Tensor from(GetParam(), {INFINITY, -INFINITY, NAN, 60000, -0.0});
  for (const DataType type :
       {DataType::float32, DataType::float64, DataType::bfloat16, DataType::float16}) {
    Tensor to(type, Values(5));

    math().cast(to.array(), from.array(), 5, stream());

    const Values cast = to.values();
    EXPECT_EQ(cast[0], INFINITY);
    EXPECT_EQ(cast[1], -INFINITY);
    EXPECT_TRUE(std::isnan(cast[2]));
    EXPECT_TRUE(std::signbit(cast[4]));
  }
  Tensor large(DataType::float64, {1e300, -1e300, 70000}), half(DataType::float16, Values(3));
  math().cast(half.array(), large.array(), 3, stream());
  EXPECT_EQ(half.values(), (Values{INFINITY, -INFINITY, INFINITY}));
}

TEST_P(EveryElement, DropoutKeepsItsShareAndScalesIt) {
  constexpr std::size_t kCount = 100003;
  for (const double p : {0.0, 0.1, 0.5}) {
    Tensor x(GetParam(), Values(kCount, 1)), y = zeros(kCount);

    math().dropout(y.array(), x.array(), kCount, p, 42, 7, stream());

    const Values values = y.values();
    const double kept = Tensor(GetParam(), {1 / (1 - p)}).values()[0];
    std::size_t zeros_seen = 0;
    for (const double value : values) {
      ASSERT_TRUE(value == 0 || std::abs(value - kept) < 1e-7) << value;
      zeros_seen += value == 0;
    }
    const double deviation = std::sqrt(kCount * p * (1 - p));
    EXPECT_NEAR(static_cast<double>(zeros_seen), kCount * p, 4 * deviation);
  }
}

TEST_P(EveryElement, DropoutIsAFunctionOfKeyAndIndex) {
  constexpr std::size_t kCount = 1000;
  Tensor x(GetParam(), Values(kCount, 1)), whole = zeros(kCount), other = zeros(kCount);
  Tensor parts(GetParam(), Values(kCount), 3);

  math().dropout(whole.array(), x.array(), kCount, 0.5, 42, 100, stream());
  math().dropout(other.array(), x.array(), kCount, 0.5, 43, 100, stream());
  for (std::size_t at = 0, count = 1; at < kCount; at += count, count = count * 3 % 101)
    math().dropout(parts.array().from(at), x.array().from(at), std::min(count, kCount - at), 0.5,
                   42, 100 + at, stream());

  expect_same_bits(whole, parts);
  const Values a = whole.values(), b = other.values();
  std::size_t different = 0;
  for (std::size_t i = 0; i < kCount; ++i) different += a[i] != b[i];
  EXPECT_NEAR(static_cast<double>(different), kCount / 2.0, 80);
}

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryElement, kEveryType, type_name);

}  // namespace
}  // namespace linerate::math_test
