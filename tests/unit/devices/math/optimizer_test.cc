// AdamW against its definition in float64, and sums of squares.
#include "unit/devices/math/math_fixture.h"

namespace linerate::math_test {
namespace {

// Both moments and parameters in float64: PyTorch's documented algorithm.
struct NaiveAdamW {
  Values parameter, m, v;

  void step(const AdamW& what, const Values& gradient) {
    const double n = static_cast<double>(what.step);
    for (std::size_t i = 0; i < parameter.size(); ++i) {
      const double g = gradient[i] * what.gradient_scale;
      parameter[i] -= what.lr * what.weight_decay * parameter[i];
      m[i] = what.beta1 * m[i] + (1 - what.beta1) * g;
      v[i] = what.beta2 * v[i] + (1 - what.beta2) * g * g;
      const double m_hat = m[i] / (1 - std::pow(what.beta1, n));
      const double v_hat = v[i] / (1 - std::pow(what.beta2, n));
      parameter[i] -= what.lr * m_hat / (std::sqrt(v_hat) + what.epsilon);
    }
  }
};

class EveryGradient : public EveryType {};

TEST_P(EveryGradient, IsSteppedAsAdamWSays) {
  constexpr std::size_t kCount = 2503;
  for (const DataType wide : {DataType::float32, DataType::float64}) {
    Tensor master(wide, random_values(kCount, 1)), m(wide, Values(kCount)), v(wide, Values(kCount));
    Tensor parameter = zeros(kCount);
    NaiveAdamW naive{master.values(), Values(kCount), Values(kCount)};
    for (int step = 1; step <= 3; ++step) {
      Tensor gradient = random(kCount, 10 + static_cast<unsigned>(step));
      const AdamW what{.count = kCount,
                       .master = master.array(),
                       .gradient = gradient.array(),
                       .m = m.array(),
                       .v = v.array(),
                       .parameter = parameter.array(),
                       .lr = 0.01,
                       .weight_decay = 0.1,
                       .gradient_scale = 0.5,
                       .step = step};

      math().adamw(what, stream());
      naive.step(what, gradient.values());
    }
    expect_close(master, naive.parameter);
    expect_close(m, naive.m);
    expect_close(v, naive.v);
    Tensor rounded = zeros(kCount);
    math().cast(rounded.array(), master.array(), kCount, stream());
    expect_same_bits(parameter, rounded);
  }
}

TEST_P(EveryGradient, HasTheSameStepWhereverAShardBegins) {
  constexpr std::size_t kCount = 1500;
  Tensor gradient = random(kCount, 1);
  Tensor whole(wide_of(GetParam()), random_values(kCount, 2)), parts(whole.type(), whole.values());
  Tensor m(whole.type(), Values(kCount)), v(whole.type(), Values(kCount));
  Tensor part_m(whole.type(), Values(kCount)), part_v(whole.type(), Values(kCount));
  const auto step = [&](Tensor& master, Tensor& first, Tensor& second, std::size_t at,
                        std::size_t count) {
    math().adamw({.count = count,
                  .master = master.array().from(at),
                  .gradient = gradient.array().from(at),
                  .m = first.array().from(at),
                  .v = second.array().from(at),
                  .parameter = master.array().from(at),
                  .lr = 0.01},
                 stream());
  };

  step(whole, m, v, 0, kCount);
  for (const auto& [begin, end] : {std::pair{0u, 1u}, {1u, 700u}, {700u, 1500u}})
    step(parts, part_m, part_v, begin, end - begin);

  expect_same_bits(whole, parts);
}

TEST_P(EveryGradient, HasASumOfSquares) {
  for (const std::size_t count : {0u, 1u, 17u, 5003u}) {
    Tensor x = random(count, 1);
    double expected = 0;
    for (const double value : x.values()) expected += value * value;
    SquareSum result{.sum = 99, .finite = false};

    math().square_sum(&result, x.array(), count, stream());

    EXPECT_NEAR(result.sum, expected, 1e-13 * expected);
    EXPECT_TRUE(result.finite);
  }
}

TEST_P(EveryGradient, FindsWhatIsNotFinite) {
  for (const double wrong :
       {static_cast<double>(INFINITY), -static_cast<double>(INFINITY), static_cast<double>(NAN)})
    for (const std::size_t at : {0u, 15u, 36u}) {
      Values values = random_values(37, 1);
      values[at] = wrong;
      Tensor x(GetParam(), values);
      SquareSum result;

      math().square_sum(&result, x.array(), 37, stream());

      EXPECT_FALSE(result.finite) << wrong << " at " << at;
    }
}

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryGradient, kEveryType, type_name);

using SumOfSquares = Doubles;

TEST_F(SumOfSquares, TellsLargeFromInfinite) {
  Tensor floats(DataType::float32, {3e38, 1e-30, -3e38}), doubles(DataType::float64, {1e200, 1});
  SquareSum of_floats, of_doubles;

  math().square_sum(&of_floats, floats.array(), 3, stream());
  math().square_sum(&of_doubles, doubles.array(), 2, stream());

  EXPECT_TRUE(of_floats.finite);
  EXPECT_NEAR(of_floats.sum, 1.8e77, 1e72);
  EXPECT_TRUE(of_doubles.finite);
}

}  // namespace
}  // namespace linerate::math_test
