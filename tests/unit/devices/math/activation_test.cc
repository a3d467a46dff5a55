// GELU and SwiGLU against their definitions, and their gradients against differences of them.
#include "unit/devices/math/math_fixture.h"

namespace linerate::math_test {
namespace {

constexpr std::size_t kCounts[] = {1, 15, 16, 17, 1009};

double naive_gelu(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double naive_silu(double x) { return x / (1 + std::exp(-x)); }

// `x` holds rows of [gate | up].
Values naive_swiglu(const Values& x, std::size_t columns) {
  Values y(x.size() / 2);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t gate = i / columns * 2 * columns + i % columns;
    y[i] = naive_silu(x[gate]) * x[gate + columns];
  }
  return y;
}

Values each(const Values& x, double (*function)(double)) {
  Values y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), function);
  return y;
}

class EveryActivation : public EveryType {};

TEST_P(EveryActivation, Gelu) {
  for (const std::size_t count : kCounts) {
    Tensor x = random(count, 1, 3), y = zeros(count);

    math().gelu_forward(y.array(), x.array(), count, stream());

    expect_close(y, each(x.values(), naive_gelu));
  }
}

TEST_P(EveryActivation, GeluIsExactlyLinearOrZeroFarOut) {
  const Values values{0, 20, 1e4, 6e4, -40, -1e4, -6e4};
  Tensor x(GetParam(), values), y = zeros(7), dy(GetParam(), Values(7, 1)), dx = zeros(7);

  math().gelu_forward(y.array(), x.array(), 7, stream());
  math().gelu_backward(dx.array(), dy.array(), x.array(), 7, stream());

  const Values in = x.values();
  EXPECT_EQ(y.values(), (Values{0, in[1], in[2], in[3], 0, 0, 0}));
  EXPECT_EQ(dx.values(), (Values{0.5, 1, 1, 1, 0, 0, 0}));
}

TEST_P(EveryActivation, PassesNanOn) {
  Tensor x(GetParam(), Values{1, NAN, 2}), y = zeros(3);

  math().gelu_forward(y.array(), x.array(), 3, stream());

  EXPECT_FALSE(std::isnan(y.values()[0]));
  EXPECT_TRUE(std::isnan(y.values()[1]));
}

TEST_P(EveryActivation, GeluBackwardIsThatOfFloat64RoundedOnce) {
  for (const std::size_t count : kCounts) {
    Tensor x = random(count, 1, 3), dy = random(count, 2);
    Tensor exact_x(DataType::float64, x.values()), exact_dy(DataType::float64, dy.values());
    Tensor exact_dx(DataType::float64, Values(count));

    math().gelu_backward(exact_dx.array(), exact_dy.array(), exact_x.array(), count, stream());
    math().gelu_backward(dy.array(), dy.array(), x.array(), count, stream());

    expect_close(dy, exact_dx.values());
  }
}

TEST_P(EveryActivation, Swiglu) {
  for (const std::size_t columns : kCounts) {
    Tensor x = random(6 * columns, 1, 3), y = zeros(3 * columns);

    math().swiglu_forward(y.array(), x.array(), 3, columns, stream());

    expect_close(y, naive_swiglu(x.values(), columns));
  }
}

TEST_P(EveryActivation, SwigluBackwardIsThatOfFloat64RoundedOnce) {
  for (const std::size_t columns : kCounts) {
    Tensor x = random(6 * columns, 1, 3), dy = random(3 * columns, 2), dx = zeros(6 * columns);
    Tensor exact_x(DataType::float64, x.values()), exact_dy(DataType::float64, dy.values());
    Tensor exact_dx(DataType::float64, Values(x.count()));

    math().swiglu_backward(dx.array(), dy.array(), x.array(), 3, columns, stream());
    math().swiglu_backward(exact_dx.array(), exact_dy.array(), exact_x.array(), 3, columns,
                           stream());

    expect_close(dx, exact_dx.values());
  }
}

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryActivation, kEveryType, type_name);

class ActivationGradients : public Doubles {};

TEST_F(ActivationGradients, OfGelu) {
  Tensor x = random(101, 1), dy = random(101, 2), dx = zeros(101);

  math().gelu_backward(dx.array(), dy.array(), x.array(), 101, stream());

  expect_gradient(dx.values(), x.values(), [&](const Values& changed) {
    return dot(each(changed, naive_gelu), dy.values());
  });
}

TEST_F(ActivationGradients, OfSwiglu) {
  Tensor x = random(6 * 13, 1), dy = random(3 * 13, 2), dx = zeros(6 * 13);

  math().swiglu_backward(dx.array(), dy.array(), x.array(), 3, 13, stream());

  expect_gradient(dx.values(), x.values(), [&](const Values& changed) {
    return dot(naive_swiglu(changed, 13), dy.values());
  });
}

}  // namespace
}  // namespace linerate::math_test
