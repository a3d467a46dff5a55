// LayerNorm and RMSNorm against the definition, and their gradients against differences of it.
#include "unit/devices/math/math_fixture.h"

namespace linerate::math_test {
namespace {

struct NormShape {
  NormKind kind;
  std::size_t rows, columns;
};

constexpr NormShape kNormShapes[] = {{NormKind::layer, 1, 1},   {NormKind::layer, 5, 37},
                                     {NormKind::layer, 3, 256}, {NormKind::layer, 23, 19},
                                     {NormKind::rms, 1, 7},     {NormKind::rms, 4, 131},
                                     {NormKind::rms, 2, 512}};

struct NormValues {
  explicit NormValues(const NormShape& shape)
      : x(random_values(shape.rows * shape.columns, 1)),
        weight(random_values(shape.columns, 2)),
        bias(random_values(shape.columns, 3)) {}
  Values x, weight, bias;
};

Values naive_norm(const NormShape& shape, const NormValues& in) {
  Values y(in.x.size());
  const auto n = static_cast<double>(shape.columns);
  const bool layer = shape.kind == NormKind::layer;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const double* row = in.x.data() + r * shape.columns;
    double mean = 0, variance = 0;
    for (std::size_t c = 0; layer && c < shape.columns; ++c) mean += row[c] / n;
    for (std::size_t c = 0; c < shape.columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / n;
    for (std::size_t c = 0; c < shape.columns; ++c)
      y[r * shape.columns + c] =
          (row[c] - mean) / std::sqrt(variance + 1e-5) * in.weight[c] + (layer ? in.bias[c] : 0);
  }
  return y;
}

// All that forward and backward of a norm read and write. Gradients start as `before`.
struct NormCase {
  NormCase(const NormShape& of, DataType type, const NormValues& in, double before = 0)
      : shape(of),
        x(type, in.x),
        weight(type, in.weight),
        bias(type, in.bias),
        y(type, Values(x.count())),
        mean(wide_of(type), Values(of.rows)),
        rstd(wide_of(type), Values(of.rows)),
        dx(type, Values(x.count(), before)),
        dweight(type, Values(of.columns, before)),
        dbias(type, Values(of.columns, before)) {}

  NormValues values() const {
    NormValues all(shape);
    all.x = x.values();
    all.weight = weight.values();
    all.bias = bias.values();
    return all;
  }
  Norm norm() {
    const bool layer = shape.kind == NormKind::layer;
    return {.kind = shape.kind,
            .rows = shape.rows,
            .columns = shape.columns,
            .x = x.array(),
            .weight = weight.array(),
            .bias = layer ? bias.array() : Array{},
            .mean = layer ? mean.array() : Array{},
            .rstd = rstd.array()};
  }
  void run(Fixture& on, Tensor& dy) {
    on.math().norm_forward(norm(), y.array(), on.stream());
    const bool layer = shape.kind == NormKind::layer;
    on.math().norm_backward(norm(), dy.array(), dx.array(), dweight.array(),
                            layer ? dbias.array() : Array{}, on.stream());
  }

  NormShape shape;
  Tensor x, weight, bias, y, mean, rstd, dx, dweight, dbias;
};

class EveryNorm : public EveryType {};

TEST_P(EveryNorm, NormalisesRows) {
  for (const NormShape& shape : kNormShapes) {
    NormCase at(shape, GetParam(), NormValues(shape));

    math().norm_forward(at.norm(), at.y.array(), stream());

    expect_close(at.y, naive_norm(shape, at.values()));
  }
}

TEST_P(EveryNorm, AddsGradientsThatAreRoundedOnce) {
  for (const NormShape& shape : kNormShapes) {
    NormCase at(shape, GetParam(), NormValues(shape), 1);
    NormCase exact(shape, DataType::float64, at.values(), 1);
    Tensor dy = random(at.x.count(), 4), exact_dy(DataType::float64, dy.values());

    at.run(*this, dy);
    exact.run(*this, exact_dy);

    expect_close(at.dx, exact.dx.values(), 4);
    expect_close(at.dweight, exact.dweight.values(), 4);
    expect_close(at.dbias, exact.dbias.values(), 4);
  }
}

TEST_P(EveryNorm, KeepsRowsOfLargeMeanApart) {
  if (GetParam() != DataType::float32) return;
  NormValues in({NormKind::layer, 1, 256});
  for (double& x : in.x) x = 1000 + x / 8;
  NormCase at({NormKind::layer, 1, 256}, GetParam(), in);

  math().norm_forward(at.norm(), at.y.array(), stream());

  expect_close(at.y, naive_norm(at.shape, at.values()), 200);
}

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryNorm, kEveryType, type_name);

class NormGradients : public Doubles {};

// Rows of whole vectors, and with a rest. Each element is moved four times.
constexpr NormShape kSlopedShapes[] = {{NormKind::layer, 1, 1},  {NormKind::layer, 5, 37},
                                       {NormKind::layer, 3, 32}, {NormKind::rms, 1, 7},
                                       {NormKind::rms, 4, 35},   {NormKind::rms, 2, 64}};

TEST_F(NormGradients, AreThoseOfTheDefinition) {
  for (const NormShape& shape : kSlopedShapes) {
    const NormValues in(shape);
    NormCase at(shape, DataType::float64, in);
    Tensor dy = random(at.x.count(), 4);
    const Values slopes = dy.values();

    at.run(*this, dy);

    const auto loss_with = [&](Values NormValues::*which) {
      return [&, which](const Values& changed) {
        NormValues all = in;
        all.*which = changed;
        return dot(naive_norm(shape, all), slopes);
      };
    };
    if (shape.columns > 1) expect_gradient(at.dx.values(), in.x, loss_with(&NormValues::x));
    expect_gradient(at.dweight.values(), in.weight, loss_with(&NormValues::weight));
    if (shape.kind == NormKind::layer)
      expect_gradient(at.dbias.values(), in.bias, loss_with(&NormValues::bias));
  }
}

}  // namespace
}  // namespace linerate::math_test
