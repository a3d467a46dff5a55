// Attention on several ranks is dense attention, has the same bits in canonical mode on any of
// them, and sends and holds what the closed forms say.
#include "unit/trainers/parallel/context_case.h"

namespace linerate::trainers {
namespace {

// Heads in groups, and chunks that are shorter and longer than a tile.
constexpr AttentionShape kContextShapes[] = {{2, 48, 8, 4, 6}, {1, 560, 4, 4, 8}};
constexpr std::size_t kRanks[] = {1, 2, 4};

class DenseAttention : public math_test::Fixture {
 public:
  ContextResult operator()(const AttentionShape& shape) {
    math_test::AttentionCase at(shape, DataType::float64, context_qkv(shape));
    Tensor dout(DataType::float64, context_dout(shape));
    math().attention_forward(at.attention(), stream());
    at.backward(*this, dout);
    return {at.out.values(), at.dqkv.values()};
  }
};

double largest_difference(const Values& a, const Values& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::isnan(a[i]) ? 1e300 : std::abs(a[i] - b[i]));
  return most / math_test::largest(b);
}

// The peaks of forward, and of both.
void expect_bytes(const ContextCase& of, const ContextResult& result) {
  for (std::size_t rank = 0; rank < of.ranks; ++rank) {
    SCOPED_TRACE(rank);
    EXPECT_EQ(result.sent[rank], context_bytes(of.layout(), rank));
    auto scratch = context_scratch_bytes(of.layout(), rank);
    scratch.backward = std::max(scratch.forward, scratch.backward);
    EXPECT_EQ(result.scratch[rank], scratch);
  }
}

void expect_dense(const ContextCase& of) {
  SCOPED_TRACE(of.text());
  ASSERT_FALSE(refusal(of.layout()));
  const auto dense = DenseAttention()(of.shape);
  const auto result = run_context(of);

  EXPECT_LE(largest_difference(result.out, dense.out), 1e-12);
  EXPECT_LE(largest_difference(result.dqkv, dense.dqkv), 1e-12);
  expect_bytes(of, result);
}

TEST(ContextParallel, IsDenseAttention) {
  for (const auto& shape : kContextShapes)
    for (const Way way : kWays)
      for (const std::size_t ranks : kRanks)
        expect_dense({.shape = shape, .way = way, .ranks = ranks});
}

TEST(ContextParallel, IsDenseAttentionInCanonicalMode) {
  for (const auto& shape : kContextShapes)
    for (const Way way : kWays)
      for (const std::size_t ranks : kRanks)
        expect_dense({.shape = shape, .way = way, .ranks = ranks, .leaves = 8});
}

TEST(ContextParallel, RunsBesideTheCallingThread) {
  for (const std::size_t leaves : {0, 8})
    for (const Way way : kWays)
      expect_dense({.shape = kContextShapes[0],
                    .way = way,
                    .ranks = 4,
                    .leaves = leaves,
                    .compute = StreamKind::async});
}

TEST(ContextParallel, OfThreeRanksIsDenseAttention) {
  for (const Way way : kWays) expect_dense({.shape = {2, 36, 3, 3, 5}, .way = way, .ranks = 3});
}

class CanonicalContext : public testing::TestWithParam<DataType> {};

TEST_P(CanonicalContext, HasTheSameBitsOnAnyRanks) {
  for (const auto& shape : kContextShapes) {
    ContextCase of{.shape = shape, .type = GetParam(), .leaves = 8};
    const auto one = run_context(of);
    for (const Way way : kWays)
      for (const std::size_t ranks : kRanks) {
        of.way = way;
        of.ranks = ranks;
        EXPECT_TRUE(run_context(of).has_bits_of(one)) << of.text();
      }
  }
}

TEST_P(CanonicalContext, OfOneLeafIsOneCall) {
  const auto& shape = kContextShapes[1];
  DenseAttention on;
  math_test::AttentionCase at(shape, GetParam(), context_qkv(shape));
  Tensor dout(GetParam(), context_dout(shape));
  on.math().attention_forward(at.attention(), on.stream());
  at.backward(on, dout);

  const auto result = run_context({.shape = shape, .type = GetParam(), .leaves = 1});

  EXPECT_EQ(result.out, at.out.values());
  EXPECT_EQ(result.dqkv, at.dqkv.values());
}

// Else there would be nothing to show.
TEST_P(CanonicalContext, HasOtherBitsThanFastMode) {
  const ContextCase of{
      .shape = kContextShapes[1], .type = GetParam(), .way = Way::zigzag_ring, .ranks = 4};
  auto canonical = of;
  canonical.leaves = 8;

  EXPECT_FALSE(run_context(of).has_bits_of(run_context(canonical)));
}

INSTANTIATE_TEST_SUITE_P(Types, CanonicalContext, math_test::kEveryType, math_test::type_name);

TEST(ContextParallel, SumsUpInFourBytesWhatHasTwo) {
  for (const Way way : kWays)
    for (const std::size_t leaves : {0, 8}) {
      const ContextCase of{.shape = kContextShapes[0],
                           .type = DataType::bfloat16,
                           .way = way,
                           .ranks = 4,
                           .leaves = leaves};
      SCOPED_TRACE(of.text());
      expect_bytes(of, run_context(of));
    }
}

}  // namespace
}  // namespace linerate::trainers
