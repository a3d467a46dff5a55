// Traffic of all_to_all_v: weights that add up, and every way in which a matrix can be wrong.
#include "collectives/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linerate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::size_t sum_of_row(const TrafficMatrix& traffic, const Sizing& sizing, int src) {
  std::size_t sum = 0;
  for (int dst = 0; dst < sizing.nranks; ++dst) sum += traffic.elements(sizing, src, dst);
  return sum;
}

std::size_t sum_of_column(const TrafficMatrix& traffic, const Sizing& sizing, int dst) {
  std::size_t sum = 0;
  for (int src = 0; src < sizing.nranks; ++src) sum += traffic.elements(sizing, src, dst);
  return sum;
}

TEST(WeightedTraffic, IsUniformAtSpreadZero) {
  const auto traffic = TrafficMatrix::weighted(0, 5);
  const Sizing sizing{.count = 48, .nranks = 5};

  for (int src = 0; src < 5; ++src)
    for (int dst = 0; dst < 5; ++dst) EXPECT_EQ(traffic.elements(sizing, src, dst), 48u);
}

TEST(WeightedTraffic, KeepsTheTotalOfEveryRankWhateverTheSpread) {
  for (const double spread : {0.0, 0.3, 1.0})
    for (const int nranks : {1, 2, 3, 8, 100})
      for (const std::size_t count : {0u, 1u, 16u, 1003u, 4096u}) {
        const auto traffic = TrafficMatrix::weighted(spread, nranks);
        const Sizing sizing{.count = count, .nranks = nranks};
        const std::size_t wanted = count * static_cast<std::size_t>(nranks);

        for (int rank = 0; rank < nranks; ++rank) {
          ASSERT_EQ(sum_of_row(traffic, sizing, rank), wanted);
          ASSERT_EQ(sum_of_column(traffic, sizing, rank), wanted);
          ASSERT_EQ(traffic.sent(sizing, rank), wanted);
          ASSERT_EQ(traffic.received(sizing, rank), wanted);
        }
      }
}

TEST(WeightedTraffic, FallsWithTheDistanceOnTheRing) {
  const auto traffic = TrafficMatrix::weighted(1, 8);
  const Sizing sizing{.count = 1 << 16, .nranks = 8};
  const auto to = [&](int dst) { return traffic.elements(sizing, 6, dst); };

  EXPECT_GT(to(6), to(7));
  EXPECT_GT(to(7), to(0));
  EXPECT_GT(to(0), to(2));
  EXPECT_NEAR(static_cast<double>(to(7)), static_cast<double>(to(5)), 16);
}

TEST(WeightedTraffic, KeepsPartsOnTheBoundariesOfTheCount) {
  const auto traffic = TrafficMatrix::weighted(1, 7);
  const Sizing sizing{.count = 3 * 16, .nranks = 7};

  for (int dst = 0; dst < 7; ++dst) EXPECT_EQ(traffic.elements(sizing, 0, dst) % 16, 0u);
}

TEST(Ranges, LieOneAfterTheOtherAndFitTogether) {
  const auto traffic = TrafficMatrix::weighted(0.5, 6);
  for (int src = 0; src < 6; ++src) {
    const Sizing sender{.count = 100, .rank = src, .nranks = 6};
    const auto send = traffic.send_ranges(sender);
    std::size_t offset = 0;
    for (int dst = 0; dst < 6; ++dst) {
      const Sizing receiver{.count = 100, .rank = dst, .nranks = 6};
      const auto& range = send[static_cast<std::size_t>(dst)];

      EXPECT_EQ(range.offset, offset);
      EXPECT_EQ(range.offset, traffic.send_offset(sender, src, dst));
      EXPECT_EQ(range.count, traffic.recv_ranges(receiver)[static_cast<std::size_t>(src)].count);
      offset += range.count;
    }
  }
}

TEST(TrafficFile, GivesElementsOfTheTypeAskedFor) {
  const auto traffic = TrafficMatrix::parse("0 64\n\n  160\t16  \r\n", 2, 1);

  ASSERT_TRUE(traffic.ok());
  EXPECT_TRUE(traffic->fixed());
  const Sizing floats{.count = 999, .nranks = 2, .type = DataType::float32};
  const Sizing doubles{.nranks = 2, .type = DataType::float64};
  EXPECT_EQ(traffic->elements(floats, 0, 1), 16u);
  EXPECT_EQ(traffic->elements(doubles, 1, 0), 20u);
  EXPECT_EQ(traffic->sent(floats, 1), 44u);
  EXPECT_EQ(traffic->received(floats, 0), 40u);
}

TEST(TrafficFile, ScalesAndRoundsDownTo16Bytes) {
  const auto traffic = TrafficMatrix::parse("47 100\n0 1000", 2, 1.5);

  ASSERT_TRUE(traffic.ok());
  const Sizing bytes{.nranks = 2, .type = DataType::uint8};
  EXPECT_EQ(traffic->elements(bytes, 0, 0), 64u);
  EXPECT_EQ(traffic->elements(bytes, 0, 1), 144u);
  EXPECT_EQ(traffic->elements(bytes, 1, 1), 1488u);
}

TEST(TrafficFile, LeavesOutSurplusRowsAndColumns) {
  const auto traffic = TrafficMatrix::parse("16 32 4800\n48 64 4800\n4800 4800 4800", 2, 1);

  ASSERT_TRUE(traffic.ok());
  const Sizing bytes{.nranks = 2, .type = DataType::uint8};
  EXPECT_EQ(traffic->sent(bytes, 0), 48u);
  EXPECT_EQ(traffic->sent(bytes, 1), 112u);
  EXPECT_EQ(traffic->received(bytes, 0), 64u);
}

std::string refusal(std::string_view text, int nranks = 2, double scale = 1) {
  const auto traffic = TrafficMatrix::parse(text, nranks, scale);
  return traffic.ok() ? "accepted" : traffic.sentence();
}

TEST(TrafficFile, TakesPointsAndExponents) {
  const auto traffic = TrafficMatrix::parse("1.5 1e3\n32.9 1.6e1\n", 2, 32);

  ASSERT_TRUE(traffic.ok()) << traffic.sentence();
  const Sizing bytes{.nranks = 2, .type = DataType::uint8};
  EXPECT_EQ(traffic->elements(bytes, 0, 0), 48u);
  EXPECT_EQ(traffic->elements(bytes, 0, 1), 32000u);
  EXPECT_EQ(traffic->elements(bytes, 1, 0), 1040u);  // 1052.8, down to 16 bytes
  EXPECT_EQ(traffic->elements(bytes, 1, 1), 512u);
}

TEST(TrafficFile, NamesTheLineOfAWrongValue) {
  EXPECT_THAT(refusal("0 0\n0 x"), StartsWith("line 2 holds 'x', which is not a number of bytes."));
  EXPECT_THAT(refusal("\n\n0 -1\n0 0"), StartsWith("line 3 holds '-1'"));
  EXPECT_THAT(refusal("-1.5 0\n0 0"), StartsWith("line 1 holds '-1.5'"));
  EXPECT_THAT(refusal("0 inf\n0 0"), StartsWith("line 1 holds 'inf'"));
  EXPECT_THAT(refusal("0 0\n0 nan"), StartsWith("line 2 holds 'nan'"));
  EXPECT_THAT(refusal("0 1e999\n0 0"), StartsWith("line 1 holds '1e999'"));
  EXPECT_THAT(refusal("0 4k\n0 0"), StartsWith("line 1 holds '4k'"));
  EXPECT_THAT(refusal("0,0\n0,0"), StartsWith("line 1 holds '0,0'"));
}

TEST(TrafficFile, RefusesValuesTooLargeToAddUp) {
  EXPECT_THAT(refusal("1099511627777 0\n0 0"), HasSubstr("more than 2^40 bytes"));
  EXPECT_THAT(refusal("1024 0\n0 0", 2, 1e300), HasSubstr("more than 2^40 bytes"));
  EXPECT_THAT(refusal("99999999999999999999999999 0\n0 0"), HasSubstr("line 1"));
}

TEST(TrafficFile, RefusesWhatIsNotSquare) {
  EXPECT_THAT(refusal("0 0\n0"), StartsWith("line 2 has 1 values, but the first row has 2"));
  EXPECT_THAT(refusal("0 0\n0 0\n0 0"), StartsWith("line 3 is one row too many"));
  EXPECT_THAT(refusal("0 0 0\n0 0 0"),
              StartsWith("it has 2 rows of 3 values: it needs a row for each of the 2 ranks at "
                         "least, and as many columns as rows."));
  EXPECT_THAT(refusal("0"), StartsWith("it has 1 row of 1 value:"));
}

TEST(TrafficFile, RefusesWhatIsEmpty) {
  EXPECT_THAT(refusal(""), StartsWith("it is empty"));
  EXPECT_THAT(refusal(" \n\t\r\n"), StartsWith("it is empty"));
}

TEST(TrafficFile, RefusesScalesThatAreNone) {
  EXPECT_THAT(refusal("0 0\n0 0", 2, -1), HasSubstr("multiplied by -1"));
  EXPECT_THAT(refusal("0 0\n0 0", 2, std::numeric_limits<double>::quiet_NaN()),
              HasSubstr("multiplied by"));
}

TEST(TrafficFile, ShowsNoUnprintableBytes) {
  const std::string text{"0 \x1b[31m\0\xff\n0 0", 11};

  EXPECT_THAT(refusal(text), HasSubstr("?[31m"));
}

TEST(TrafficFile, RefusesEndlessRowsAtTheirLimit) {
  std::string text;
  for (std::size_t i = 0; i <= TrafficMatrix::kMaxRows; ++i) text += "0 ";

  EXPECT_THAT(refusal(text), HasSubstr("has more than 4096 values"));
}

}  // namespace
}  // namespace linerate
