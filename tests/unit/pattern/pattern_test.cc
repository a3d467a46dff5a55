// What the data must notice: another rank, index or seed, a stale buffer, one flipped bit.
#include "pattern/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace linerate {
namespace {

constexpr std::size_t kCount = 4000;

double fraction_different(const Content& a, const Content& b) {
  std::vector<std::byte> bytes(kCount * bytes_of(a.type));
  pattern::fill(bytes, a);
  return static_cast<double>(pattern::count_wrong(bytes, b).wrong) / kCount;
}

class Distinctness : public testing::TestWithParam<DataType> {
 protected:
  Content moved() const { return {.type = GetParam(), .op = RedOp::max, .nranks = 8, .seed = 3}; }
  // Two fp8 values of few bits are equal by chance now and then.
  double least() const { return bytes_of(GetParam()) == 1 ? 0.85 : 0.99; }
};

TEST_P(Distinctness, MovedDataTellsRanksApart) {
  Content other = moved();
  other.rank = 5;

  EXPECT_GT(fraction_different(moved(), other), least());
}

TEST_P(Distinctness, MovedDataTellsIndicesApart) {
  for (const std::size_t shift : {1u, 2u, 16u, 4096u}) {
    Content other = moved();
    other.first_index = shift;

    EXPECT_GT(fraction_different(moved(), other), least()) << shift;
  }
}

TEST_P(Distinctness, MovedDataTellsRunsApart) {
  Content other = moved();
  other.seed = 4;

  EXPECT_GT(fraction_different(moved(), other), least());
}

TEST_P(Distinctness, ReductionsTellRunsApart) {
  for (const auto& op : kRedOps) {
    if (op.op == RedOp::avg && bytes_of(GetParam()) == 1)
      continue;  // few values are left to differ
    Content mine = moved();
    mine.kind = Content::Kind::reduction;
    mine.op = op.op;
    Content stale = mine;
    stale.seed = 4;

    EXPECT_GT(fraction_different(mine, stale), 0.8) << op.name;
  }
}

TEST_P(Distinctness, AMissingRankIsSeenInMostSumsOfFew) {
  Content all = moved();
  all.kind = Content::Kind::reduction;
  all.op = RedOp::sum;
  all.nranks = 2;
  Content one = all;
  one.kind = Content::Kind::input;
  one.rank = 1;

  EXPECT_GT(fraction_different(all, one), 0.99);
}

TEST_P(Distinctness, EveryValueOfManyRanksVaries) {
  for (const auto op : {RedOp::max, RedOp::min, RedOp::sum, RedOp::prod}) {
    Content content = moved();
    content.kind = Content::Kind::reduction;
    content.op = op;
    content.nranks = 4096;
    Content shifted = content;
    shifted.first_index = 1;

    EXPECT_GT(fraction_different(content, shifted), 0.8) << name_of(op);
  }
}

TEST_P(Distinctness, FillingInPiecesGivesTheSameBytes) {
  const std::size_t width = bytes_of(GetParam());
  std::vector<std::byte> whole(kCount * width + 1), pieces(kCount * width + 1);
  Content content = moved();
  pattern::fill(View(whole).subspan(1), content);

  for (std::size_t at = 0; at < kCount; at += 1237) {
    const std::size_t count = std::min<std::size_t>(1237, kCount - at);
    content.first_index = at;
    pattern::fill(View(pieces).subspan(1 + at * width, count * width), content);
  }

  EXPECT_EQ(std::memcmp(whole.data() + 1, pieces.data() + 1, kCount * width), 0);
}

TEST_P(Distinctness, IndicesBeyond32BitsAreTheirOwn) {
  Content far = moved();
  far.first_index = std::size_t{1} << 32;

  EXPECT_GT(fraction_different(moved(), far), least());
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Distinctness, testing::ValuesIn([] {
                           std::vector<DataType> types;
                           for (const auto& row : kDataTypes) types.push_back(row.type);
                           return types;
                         }()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(CountWrong, NamesTheFirstWrongElement) {
  std::vector<float> values(100);
  const Content content{.kind = Content::Kind::reduction, .nranks = 4, .seed = 1};
  pattern::fill(std::as_writable_bytes(std::span(values)), content);
  const float right = values[42];
  values[42] = -1.25f;
  values[77] = 0.5f;

  const auto compared = pattern::count_wrong(std::as_bytes(std::span(values)), content);

  EXPECT_EQ(compared.wrong, 2u);
  ASSERT_TRUE(compared.first);
  EXPECT_EQ(compared.first->index, 42u);
  EXPECT_EQ(compared.first->expected, right);
  EXPECT_EQ(compared.first->got, -1.25);
  EXPECT_EQ(compared.first->got_bits, 0xbfa00000u);
}

TEST(CountWrong, SeesEveryFlippedBitOfASum) {
  std::uint32_t value = 0;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  const Content content{.kind = Content::Kind::reduction, .nranks = 3};
  for (int bit = 0; bit < 32; ++bit) {
    pattern::fill(bytes, content);
    value ^= 1u << bit;

    EXPECT_EQ(pattern::count_wrong(bytes, content).wrong, 1u) << bit;
  }
}

TEST(CountWrong, AllowsAveragesOfFloatOverThreeRanksTwoUlp) {
  std::uint32_t value = 0;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  const Content average{.kind = Content::Kind::reduction, .op = RedOp::avg, .nranks = 3};
  pattern::fill(bytes, average);

  value += 2;
  EXPECT_EQ(pattern::count_wrong(bytes, average).wrong, 0u);

  value += 1;
  EXPECT_EQ(pattern::count_wrong(bytes, average).wrong, 1u);
}

TEST(CountWrong, AcceptsAnEmptyRange) { EXPECT_EQ(pattern::count_wrong({}, {}).wrong, 0u); }

}  // namespace
}  // namespace linerate
