// Cross entropy and embeddings: definitions, gradients, rows that do not count, repeated tokens.
#include "unit/devices/math/math_fixture.h"

namespace linerate::math_test {
namespace {

double naive_loss(const double* logits, std::size_t vocabulary, std::int32_t target) {
  if (target < 0) return 0;
  const double most = *std::max_element(logits, logits + vocabulary);
  double sum = 0;
  for (std::size_t c = 0; c < vocabulary; ++c) sum += std::exp(logits[c] - most);
  return std::log(sum) + most - logits[target];
}

struct LossShape {
  std::size_t rows, vocabulary, stride;
};
constexpr LossShape kLossShapes[] = {{1, 1, 1}, {4, 257, 257}, {3, 31, 40}, {2, 5003, 5003}};

std::vector<std::int32_t> some_targets(const LossShape& shape) {
  std::vector<std::int32_t> targets(shape.rows);
  for (std::size_t r = 0; r < shape.rows; ++r)
    targets[r] = r % 4 == 2 ? -1 : static_cast<std::int32_t>((r * 97 + 256) % shape.vocabulary);
  return targets;
}

class EveryLoss : public EveryType {};

TEST_P(EveryLoss, AndItsGradientAreTheDefinition) {
  for (const LossShape& shape : kLossShapes) {
    Tensor logits = random(shape.rows * shape.stride, 1, 4);
    const auto targets = some_targets(shape);
    std::vector<double> losses(shape.rows, 99);
    const Values before = logits.values();

    math().cross_entropy(
        {shape.rows, shape.vocabulary, shape.stride, logits.array(), targets.data(), losses.data()},
        0.25, stream());

    Values expected = before;
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const double* row = before.data() + r * shape.stride;
      EXPECT_NEAR(losses[r], naive_loss(row, shape.vocabulary, targets[r]),
                  GetParam() == DataType::float64 ? 1e-13 : 2e-6);
      const double first = naive_loss(row, shape.vocabulary, 0);
      for (std::size_t c = 0; c < shape.vocabulary; ++c) {
        const bool hit = static_cast<std::int32_t>(c) == targets[r];
        const double p = std::exp(row[c] - row[0] - first);
        expected[r * shape.stride + c] = targets[r] < 0 ? 0 : 0.25 * (p - (hit ? 1 : 0));
      }
    }
    // float16 has an absolute accuracy below its least normal number.
    if (GetParam() != DataType::float16) expect_close(logits, expected);
  }
}

// What parts of the classes yield, combined, beside one call over all of them.
TEST_P(EveryLoss, OfPartsOfTheClassesIsThatOfAll) {
  for (const LossShape& shape : kLossShapes) {
    const std::size_t half = shape.vocabulary / 2;
    Tensor whole = random(shape.rows * shape.stride, 1, 4);
    Tensor parts = random(shape.rows * shape.stride, 1, 4);
    const auto targets = some_targets(shape);
    std::vector<double> losses(shape.rows), part_losses(shape.rows);
    std::vector<std::uint8_t> hits(shape.rows), part_hits(shape.rows);
    std::vector<double> most(shape.rows), sum(shape.rows), own(shape.rows);
    std::vector<double> mosts[2]{most, most}, sums[2]{sum, sum}, owns[2]{own, own};
    const auto part = [&](std::size_t i) {
      const std::size_t first = i * half;
      return CrossEntropyPart{
          .what = {shape.rows, i == 0 ? half : shape.vocabulary - half, shape.stride,
                   parts.array().from(first), targets.data(), part_losses.data(), part_hits.data()},
          .first = first,
          .most = most.data(),
          .sum = sum.data(),
          .own = own.data()};
    };

    math().cross_entropy({shape.rows, shape.vocabulary, shape.stride, whole.array(), targets.data(),
                          losses.data(), hits.data()},
                         0.25, stream());
    for (std::size_t i = 0; i < 2; ++i) {
      math().largest_logits(part(i), stream());
      mosts[i] = most;
    }
    for (std::size_t r = 0; r < shape.rows; ++r) most[r] = std::max(mosts[0][r], mosts[1][r]);
    for (std::size_t i = 0; i < 2; ++i) {
      math().sum_exponentials(part(i), stream());
      sums[i] = sum;
      owns[i] = own;
    }
    for (std::size_t r = 0; r < shape.rows; ++r) {
      sum[r] = sums[0][r] + sums[1][r];
      own[r] = owns[0][r] + owns[1][r];
    }
    for (std::size_t i = 0; i < 2; ++i) math().cross_entropy_part(part(i), 0.25, stream());

    EXPECT_EQ(part_hits, hits);
    for (std::size_t r = 0; r < shape.rows; ++r)
      EXPECT_NEAR(part_losses[r], losses[r], GetParam() == DataType::float64 ? 1e-13 : 2e-6);
    expect_close(parts, whole.values());
  }
}

TEST_P(EveryLoss, TokensOfOtherRanksAreZerosAndHaveNoGradient) {
  Tensor table(GetParam(), {1, 2, 3, 4}), x(GetParam(), {9, 9, 9, 9}),
      gradient(GetParam(), {0, 0, 0, 0});
  const std::vector<std::int32_t> tokens{-1, 1};

  math().embedding_forward(x.array(), table.array(), {}, tokens, 2, 2, stream());
  math().embedding_backward(gradient.array(), {}, x.array(), tokens, 2, 2, stream());

  EXPECT_EQ(x.values(), (Values{0, 0, 3, 4}));
  EXPECT_EQ(gradient.values(), (Values{0, 0, 3, 4}));
}

TEST_P(EveryLoss, HitsWhereNoLogitIsLargerThanTheTargets) {
  Tensor logits(GetParam(), {0, 2, 1, /**/ 3, 2, 1, /**/ 1, 1, 0, /**/ 0, 0, 5});
  const std::vector<std::int32_t> targets{1, 1, 1, -1};
  std::vector<double> losses(targets.size());
  std::vector<std::uint8_t> hits(targets.size(), 7);

  math().cross_entropy(
      {targets.size(), 3, 3, logits.array(), targets.data(), losses.data(), hits.data()}, 1,
      stream());

  EXPECT_EQ(hits, (std::vector<std::uint8_t>{1, 0, 1, 0}));
}

TEST_P(EveryLoss, StandsLargeLogits) {
  Tensor logits(GetParam(), {3e4, -3e4, 3e4, 0});
  const std::int32_t target = 1;
  double loss = 0;

  math().cross_entropy({1, 4, 4, logits.array(), &target, &loss}, 1, stream());

  const Values in = Tensor(GetParam(), {3e4, -3e4}).values();
  EXPECT_NEAR(loss, in[0] - in[1] + std::log(2), 1e-2);
  EXPECT_EQ(logits.values(), (Values{0.5, -1, 0.5, 0}));
}

TEST_P(EveryLoss, EmbeddingsAreRowsOfTheTable) {
  const std::vector<std::int32_t> tokens{4, 0, 4, 2, 1, 4};
  Tensor table = random(5 * 19, 1), positions = random(3 * 19, 2), x = zeros(6 * 19);
  const Values rows = table.values(), offsets = positions.values();

  for (const bool positioned : {false, true}) {
    math().embedding_forward(x.array(), table.array(), positioned ? positions.array() : Array{},
                             tokens, 3, 19, stream());

    Values expected(x.count());
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = rows[static_cast<std::size_t>(tokens[i / 19]) * 19 + i % 19] +
                    (positioned ? offsets[i / 19 % 3 * 19 + i % 19] : 0);
    expect_close(x, expected);
  }
}

TEST_P(EveryLoss, EmbeddingGradientsAddRowsAndRoundOnce) {
  const std::vector<std::int32_t> tokens{4, 0, 4, 2, 1, 4, 4, 4, 4};
  Tensor dtable = random(5 * 19, 1), dpositions = random(3 * 19, 2), dx = random(9 * 19, 3);
  Values table = dtable.values(), positions = dpositions.values();
  const Values slopes = dx.values();
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    table[static_cast<std::size_t>(tokens[i / 19]) * 19 + i % 19] += slopes[i];
    positions[i / 19 % 3 * 19 + i % 19] += slopes[i];
  }

  math().embedding_backward(dtable.array(), dpositions.array(), dx.array(), tokens, 3, 19,
                            stream());

  expect_close(dtable, table);
  expect_close(dpositions, positions);
}

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryLoss, kEveryType, type_name);

class LossGradients : public Doubles {};

TEST_F(LossGradients, AreThoseOfTheDefinition) {
  const LossShape shape{5, 37, 37};
  Tensor logits = random(shape.rows * shape.vocabulary, 1);
  const Values before = logits.values();
  const auto targets = some_targets(shape);
  std::vector<double> losses(shape.rows);

  math().cross_entropy(
      {shape.rows, shape.vocabulary, shape.stride, logits.array(), targets.data(), losses.data()},
      3, stream());

  expect_gradient(logits.values(), before, [&](const Values& changed) {
    double sum = 0;
    for (std::size_t r = 0; r < shape.rows; ++r)
      sum += 3 * naive_loss(changed.data() + r * shape.stride, shape.vocabulary, targets[r]);
    return sum;
  });
}

TEST_F(LossGradients, OfEmbeddingsAddRowsInTheirOrder) {
  constexpr std::size_t kRows = 300, kColumns = 3;
  std::vector<std::int32_t> tokens(kRows);
  for (std::size_t r = 0; r < kRows; ++r) tokens[r] = static_cast<std::int32_t>(r * 7 % 2);
  Tensor dx(DataType::float32, random_values(kRows * kColumns, 1));
  Tensor dtable(DataType::float32, Values(2 * kColumns));
  const Values slopes = dx.values();
  std::vector<float> expected(2 * kColumns);
  for (std::size_t i = 0; i < slopes.size(); ++i)
    expected[static_cast<std::size_t>(tokens[i / kColumns]) * kColumns + i % kColumns] +=
        static_cast<float>(slopes[i]);

  math().embedding_backward(dtable.array(), {}, dx.array(), tokens, kRows, kColumns, stream());

  EXPECT_EQ(dtable.values(), Values(expected.begin(), expected.end()));
}

}  // namespace
}  // namespace linerate::math_test
