// The vectorised loops against the generator's own element functions, which a GPU runs.
#include "pattern/generate.h"

#include "pattern/pattern.h"
#include "pattern/plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace linerate::pattern {
namespace {

constexpr std::size_t kGenerated = 5000;
constexpr std::size_t kFirst = 4000;

template <typename Family>
void expect_same(Content content) {
  using Bits = typename Family::Bits;
  std::vector<Bits> filled(kGenerated), one_by_one;
  content.first_index = kFirst;
  fill(std::as_writable_bytes(std::span(filled)), content);
  const Plan plan = plan_of<typename Family::Format>(content);

  for (std::uint64_t i = kFirst; i < kFirst + kGenerated; ++i) {
    const auto key = block_key(plan.seed, i);
    const auto offset = static_cast<std::uint32_t>(i % kBlockElements);
    one_by_one.push_back(content.kind == Content::Kind::input
                             ? input_element<Family>(plan, key, offset)
                             : reduction_element<Family>(plan, key, offset));
  }

  EXPECT_EQ(filled, one_by_one);
}

template <typename Family>
void expect_same(DataType type, RedOp op) {
  for (const auto kind : {Content::Kind::input, Content::Kind::reduction})
    for (const int nranks : {1, 6, 200})
      expect_same<Family>(
          {.kind = kind, .type = type, .op = op, .rank = 4, .nranks = nranks, .seed = 99});
}

TEST(ElementFunctions, GiveWhatFillWrites) {
  expect_same<Additive<Format<float>>>(DataType::float32, RedOp::sum);
  expect_same<Additive<Format<double>>>(DataType::float64, RedOp::mulsum);
  expect_same<Additive<Format<Half>>>(DataType::float16, RedOp::avg);
  expect_same<Additive<Format<std::int64_t>>>(DataType::int64, RedOp::avg);
  expect_same<Additive<Format<std::uint8_t>>>(DataType::uint8, RedOp::sum);
  expect_same<Multiplicative<Format<BFloat16>>>(DataType::bfloat16, RedOp::prod);
  expect_same<Multiplicative<Format<std::int32_t>>>(DataType::int32, RedOp::prod);
  expect_same<Extremal<Format<F8E4M3>>>(DataType::f8e4m3, RedOp::max);
  expect_same<Extremal<Format<std::int8_t>>>(DataType::int8, RedOp::min);
  expect_same<Extremal<Format<double>>>(DataType::float64, RedOp::min);
}

TEST(Hash, FlipsAboutHalfOfTheBitsForEachInputBit) {
  for (int bit = 0; bit < 32; ++bit) {
    int flipped = 0;
    for (std::uint32_t x = 0; x < 1000; ++x)
      flipped += __builtin_popcount(mixed(x * kGolden32) ^ mixed(x * kGolden32 ^ (1u << bit)));

    EXPECT_NEAR(flipped / 1000.0, 16, 1.0) << bit;
  }
}

TEST(ActiveRanks, BeginAtEveryRankInTurn) {
  const Plan plan = plan_of<Format<F8E5M2>>({.type = DataType::f8e5m2, .nranks = 100});
  const auto key = block_key(1, 0);
  std::vector<int> starts(100);
  for (std::uint32_t offset = 0; offset < kBlockElements; ++offset)
    ++starts[spot_of(plan, key, offset).start];

  for (const int times : starts) EXPECT_GT(times, 10);
}

}  // namespace
}  // namespace linerate::pattern
