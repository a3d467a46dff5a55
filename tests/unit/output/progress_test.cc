// The forecast as arithmetic, and what a terminal and a log get to see.
#include "output/progress.h"

#include "output/console_table.h"
#include "support/folder.h"
#include "unit/output/examples.h"
#include "unit/output/pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::HasSubstr;

TEST(SecondsLeft, IsUnknownBeforeTwoRows) {
  const std::vector<FinishedRow> one{{8, 0.5}};

  EXPECT_FALSE(seconds_left({}, {}).has_value());
  EXPECT_FALSE(seconds_left(one, {}).has_value());
}

TEST(SecondsLeft, FollowsRowsThatCostATimeAndABytePrice) {
  std::vector<FinishedRow> finished;
  for (const std::uint64_t bytes : {8u, 1024u, 65536u, 1048576u})
    finished.push_back({bytes, 0.5 + static_cast<double>(bytes) * 1e-6});
  const std::vector<std::uint64_t> to_do{2097152, 4194304};

  EXPECT_NEAR(*seconds_left(finished, to_do), 1.0 + 6.291456, 1e-6);
}

TEST(SecondsLeft, IsTheSameForRowsOfOneSize) {
  const std::vector<FinishedRow> finished{{1024, 2}, {1024, 2}};
  const std::vector<std::uint64_t> to_do{1024, 1024, 1024};

  EXPECT_NEAR(*seconds_left(finished, to_do), 6, 1e-9);
}

TEST(SecondsLeft, NeverFallsWithLargerSizes) {
  const std::vector<FinishedRow> finished{{8, 0.3}, {16, 0.2}, {32, 0.1}};
  const std::vector<std::uint64_t> to_do{1u << 30};

  EXPECT_GT(*seconds_left(finished, to_do), 0.09);
}

TEST(SecondsLeft, IsProportionalWhereAFixedPartWouldBeNegative) {
  const std::vector<FinishedRow> finished{{100, 1}, {200, 4}};
  const std::vector<std::uint64_t> to_do{300};

  const double left = *seconds_left(finished, to_do);

  EXPECT_GT(left, 3);
  EXPECT_LT(left, 6);
}

TEST(SecondsLeft, SurvivesRowsOfNoTime) {
  const std::vector<FinishedRow> finished{{0, 0}, {0, 0}};
  const std::vector<std::uint64_t> to_do{0};

  EXPECT_NEAR(*seconds_left(finished, to_do), 0, 1e-6);
}

TEST(ProgressStyle, IsAnUpdatingLineOnATerminalOnly) {
  EXPECT_EQ(progress_style(std::nullopt, true), ProgressStyle::updating);
  EXPECT_EQ(progress_style(std::nullopt, false), ProgressStyle::off);
  EXPECT_EQ(progress_style(false, true), ProgressStyle::off);
  EXPECT_EQ(progress_style(true, true), ProgressStyle::updating);
  EXPECT_EQ(progress_style(true, false), ProgressStyle::lines);
}

class ProgressTest : public ::testing::Test {
 protected:
  void run(ProgressStyle style, int rows) {
    ConsoleTable table(*TextFile::append(folder_.path("stdout")), doubling(8, 64));
    Progress progress(table, clock_, *TextFile::append(folder_.path("stderr")),
                      {.style = style, .row_bytes = {8, 16, 32, 64}});
    const auto records = row_of(all_reduce_of(8), {1, 1, 1}, {1, 1, 1});
    progress.begin(two_ranks());
    for (int row = 0; row < rows; ++row) {
      clock_.advance(4'000'000'000);
      progress.row(records);
    }
    progress.end(clean_end(1));
  }
  std::string shown() const { return folder_.read("stderr"); }

  TemporaryFolder folder_;
  ManualClock clock_;
};

TEST_F(ProgressTest, WritesOverOneLineOfATerminalAndLeavesItEmpty) {
  run(ProgressStyle::updating, 3);

  const std::string erase = "\r\x1b[K";
  EXPECT_EQ(shown(), "all_reduce_perf: 0 of 4 rows in 0 s" + erase +
                         "all_reduce_perf: 1 of 4 rows in 4 s" + erase +
                         "all_reduce_perf: 2 of 4 rows in 8 s, about 8 s left" + erase +
                         "all_reduce_perf: 3 of 4 rows in 12 s, about 4 s left" + erase);
}

TEST_F(ProgressTest, WritesALineNowAndThenToALog) {
  run(ProgressStyle::lines, 4);

  EXPECT_EQ(shown(), "all_reduce_perf: 3 of 4 rows in 12 s, about 4 s left\n");
}

TEST_F(ProgressTest, CountsRowsOfARunWithoutEnd) {
  run(ProgressStyle::lines, 9);

  EXPECT_THAT(shown(), HasSubstr("all_reduce_perf: 6 rows in 24 s\n"));
}

TEST_F(ProgressTest, IsSilentWhenItIsOff) {
  run(ProgressStyle::off, 4);

  EXPECT_EQ(shown(), "");
}

TEST_F(ProgressTest, PassesEverythingOn) {
  run(ProgressStyle::updating, 4);

  const auto table = folder_.read("stdout");
  EXPECT_THAT(table, HasSubstr("# Using devices"));
  EXPECT_THAT(table, HasSubstr("# Avg bus bandwidth"));
}

TEST_F(ProgressTest, DoesNotEndTheRunWhenStderrIsClosed) {
  Pipe pipe;
  ConsoleTable table(*TextFile::append(folder_.path("stdout")), doubling(8, 64));
  Progress progress(table, clock_, pipe.writer(),
                    {.style = ProgressStyle::updating, .row_bytes = {8}});
  pipe.close_reader();

  EXPECT_NO_THROW(progress.begin(two_ranks()));
}

}  // namespace
}  // namespace linerate
