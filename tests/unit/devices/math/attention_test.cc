// Causal attention and rotary embedding against their definitions, in ragged shapes.
#include "unit/devices/math/attention_case.h"

namespace linerate::math_test {
namespace {

constexpr AttentionShape kAttentionShapes[] = {{1, 1, 1, 1, 1},    {2, 5, 2, 2, 3},
                                               {1, 67, 4, 2, 16},  {2, 64, 2, 1, 32},
                                               {1, 131, 3, 3, 20}, {1, 200, 4, 1, 64}};

// Into `out` and `lse`: one query head of one sequence.
void naive_head(const AttentionShape& shape, const Values& qkv, std::size_t row0, std::size_t h,
                Values& out) {
  const std::size_t kv = h * shape.kv_heads / shape.heads, n = shape.head;
  const auto at = [&](std::size_t i, std::size_t head, std::size_t d) {
    return qkv[(row0 + i) * shape.stride() + head * n + d];
  };
  for (std::size_t i = 0; i < shape.length; ++i) {
    Values p(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t d = 0; d < n; ++d) p[j] += at(i, h, d) * at(j, shape.heads + kv, d);
      p[j] /= std::sqrt(static_cast<double>(n));
    }
    const double most = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& value : p) sum += value = std::exp(value - most);
    for (std::size_t d = 0; d < n; ++d) {
      double& o = out[((row0 + i) * shape.heads + h) * n + d];
      o = 0;
      for (std::size_t j = 0; j <= i; ++j)
        o += p[j] / sum * at(j, shape.heads + shape.kv_heads + kv, d);
    }
  }
}

Values naive_attention(const AttentionShape& shape, const Values& qkv) {
  Values out(shape.out_count());
  for (std::size_t b = 0; b < shape.batch; ++b)
    for (std::size_t h = 0; h < shape.heads; ++h) naive_head(shape, qkv, b * shape.length, h, out);
  return out;
}

class EveryAttention : public EveryType {};

TEST_P(EveryAttention, IsTheDefinition) {
  for (const AttentionShape& shape : kAttentionShapes) {
    AttentionCase at(shape, GetParam(), random_values(shape.qkv_count(), 1));

    math().attention_forward(at.attention(), stream());

    expect_close(at.out, naive_attention(shape, at.qkv.values()), 2);
  }
}

TEST_P(EveryAttention, HasGradientsOfFloat64) {
  for (const AttentionShape& shape : kAttentionShapes) {
    AttentionCase at(shape, GetParam(), random_values(shape.qkv_count(), 1));
    AttentionCase exact(shape, DataType::float64, at.qkv.values());
    Tensor dout = random(shape.out_count(), 2), exact_dout(DataType::float64, dout.values());

    math().attention_forward(at.attention(), stream());
    at.backward(*this, dout);
    math().attention_forward(exact.attention(), stream());
    exact.backward(*this, exact_dout);

    // A rounded output is what a row's own share of the gradient comes from.
    const double slack = 4 + 4 * rounding_of(GetParam()) / accuracy_of(GetParam());
    expect_close(at.dqkv, exact.dqkv.values(), slack);
  }
}

TEST_P(EveryAttention, StandsLargeScores) {
  const AttentionShape shape{1, 70, 1, 1, 16};
  AttentionCase at(shape, GetParam(), random_values(shape.qkv_count(), 1, 30));

  math().attention_forward(at.attention(), stream());

  expect_close(at.out, naive_attention(shape, at.qkv.values()), 200);
}

TEST_P(EveryAttention, HasTheSameBitsAtEveryAlignment) {
  const AttentionShape shape{2, 67, 4, 2, 20};
  const Values values = random_values(shape.qkv_count(), 1);
  const Values slopes = random_values(shape.out_count(), 2);
  AttentionCase aligned(shape, GetParam(), values), shifted(shape, GetParam(), values, 3);
  Tensor dout(GetParam(), slopes), shifted_dout(GetParam(), slopes, 5);

  math().attention_forward(aligned.attention(), stream());
  aligned.backward(*this, dout);
  math().attention_forward(shifted.attention(), stream());
  shifted.backward(*this, shifted_dout);

  expect_same_bits(aligned.out, shifted.out);
  expect_same_bits(aligned.lse, shifted.lse);
  expect_same_bits(aligned.dqkv, shifted.dqkv);
}

TEST_P(EveryAttention, DoesNotDependOnTheOtherSequences) {
  const AttentionShape both{2, 67, 4, 2, 20}, one{1, 67, 4, 2, 20};
  AttentionCase pair(both, GetParam(), random_values(both.qkv_count(), 1));
  const Values all = pair.qkv.values();
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(one.qkv_count());
  AttentionCase second(one, GetParam(), Values(middle, all.end()));

  math().attention_forward(pair.attention(), stream());
  math().attention_forward(second.attention(), stream());

  const Values out = pair.out.values();
  EXPECT_EQ(Values(out.begin() + static_cast<std::ptrdiff_t>(one.out_count()), out.end()),
            second.out.values());
}

TEST_P(EveryAttention, RopeTurnsPairsByTheirPosition) {
  const AttentionShape shape{2, 11, 3, 1, 6};
  Tensor x = random(shape.qkv_count(), 1);
  Values expected = x.values();
  for (std::size_t r = 0; r < shape.batch * shape.length; ++r)
    for (std::size_t h = 0; h < shape.heads; ++h)
      for (std::size_t i = 0; i < shape.head / 2; ++i) {
        const double angle = static_cast<double>(r % shape.length) *
                             std::pow(10000, -2.0 * static_cast<double>(i) / 6);
        double& a = expected[r * shape.stride() + h * shape.head + i];
        double& b = *(&a + shape.head / 2);
        const double turned = a * std::cos(angle) - b * std::sin(angle);
        b = b * std::cos(angle) + a * std::sin(angle);
        a = turned;
      }

  Attention of{.batch = 2, .length = 11, .heads = 3, .kv_heads = 1, .head = 6, .stride = 30};
  math().rope(of, x.array(), 3, false, stream());

  expect_close(x, expected);
}

TEST_P(EveryAttention, RopeTurnsBack) {
  Tensor x = random(2 * 300 * 5 * 64, 1);
  const Values before = x.values();
  Attention of{.batch = 2, .length = 300, .heads = 5, .kv_heads = 1, .head = 64, .stride = 320};

  math().rope(of, x.array(), 5, false, stream());
  math().rope(of, x.array(), 5, true, stream());

  expect_close(x, before, 2 + 4 * rounding_of(GetParam()) / accuracy_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryAttention, kEveryType, type_name);

class AttentionGradients : public Doubles {};

TEST_F(AttentionGradients, AreThoseOfTheDefinition) {
  for (const AttentionShape& shape :
       {AttentionShape{1, 1, 1, 1, 1}, {2, 5, 2, 2, 3}, {1, 9, 4, 2, 8}, {1, 66, 1, 1, 2}}) {
    AttentionCase at(shape, DataType::float64, random_values(shape.qkv_count(), 1));
    Tensor dout = random(shape.out_count(), 2);
    const Values slopes = dout.values();

    math().attention_forward(at.attention(), stream());
    at.backward(*this, dout);

    expect_gradient(at.dqkv.values(), at.qkv.values(), [&](const Values& changed) {
      return dot(naive_attention(shape, changed), slopes);
    });
  }
}

}  // namespace
}  // namespace linerate::math_test
