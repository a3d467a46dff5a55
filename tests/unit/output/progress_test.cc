// What a terminal and a log get to see of a plan, and how a line keeps out of the way.
#include "output/progress.h"

#include "output/console_table.h"
#include "support/folder.h"
#include "unit/output/examples.h"
#include "unit/output/pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string kErase = "\r\x1b[K";

TEST(ProgressStyle, IsAnUpdatingLineOnATerminalOnly) {
  EXPECT_EQ(progress_style(std::nullopt, true), ProgressStyle::updating);
  EXPECT_EQ(progress_style(std::nullopt, false), ProgressStyle::off);
  EXPECT_EQ(progress_style(false, true), ProgressStyle::off);
  EXPECT_EQ(progress_style(true, true), ProgressStyle::updating);
  EXPECT_EQ(progress_style(true, false), ProgressStyle::lines);
}

class ProgressTest : public ::testing::Test {
 protected:
  Progress progress(ProgressStyle style) {
    return Progress(clock_, *TextFile::append(folder_.path("stderr")), style, "results");
  }
  void wait(double seconds) { clock_.advance(static_cast<std::int64_t>(seconds * 1e9)); }
  std::string shown() const { return folder_.read("stderr"); }

  TemporaryFolder folder_;
  ManualClock clock_;
};

TEST_F(ProgressTest, CountsResultsAndTellsTheTimeLeftFromTheSecondOn) {
  auto line = progress(ProgressStyle::updating);
  line.name("all_reduce_perf");
  line.plan(0, {{.pieces = std::vector<Piece>(4)}});
  line.show();
  for (int i = 0; i < 3; ++i) {
    wait(4);
    line.done();
    line.tick();
  }
  line.hide();

  EXPECT_EQ(shown(), "all_reduce_perf: 0 of 4 results in 0 s" + kErase +
                         "all_reduce_perf: 1 of 4 results in 4 s" + kErase +
                         "all_reduce_perf: 2 of 4 results in 8 s, about 8 s left" + kErase +
                         "all_reduce_perf: 3 of 4 results in 12 s, about 4 s left" + kErase);
}

TEST_F(ProgressTest, CountsInRunsToComeThatTakeAsLong) {
  auto line = progress(ProgressStyle::updating);
  line.begin();
  line.plan(0, {{.pieces = std::vector<Piece>(4)}});
  line.followed_by(2);
  for (int i = 0; i < 3; ++i) {
    wait(4);
    line.done();
  }
  line.tick();

  EXPECT_THAT(shown(), EndsWith("3 of 4 results in 12 s, about 37 s left"));  // their ends, too
}

TEST_F(ProgressTest, CountsTheTimeFromTheLastResultToTheEndOfTheRun) {
  auto line = progress(ProgressStyle::updating);
  line.begin();
  line.plan(0, {{.pieces = std::vector<Piece>(3)}});
  for (int i = 0; i < 2; ++i) {
    wait(4.3);
    line.done();
  }
  line.tick();

  EXPECT_THAT(shown(), EndsWith("about 5 s left"));
}

TEST_F(ProgressTest, TakesRunsToBeAsLongAsThoseBefore) {
  auto line = progress(ProgressStyle::updating);
  line.begin();
  line.plan(0, {{.pieces = std::vector<Piece>(4)}});
  line.followed_by(2, 20);
  wait(4);
  line.tick();
  EXPECT_THAT(shown(), EndsWith("0 of 4 results in 4 s, about 56 s left"));

  for (const int seconds : {8, 12}) {
    wait(seconds);
    line.done();
  }
  line.tick();
  EXPECT_THAT(shown(), EndsWith("2 of 4 results in 24 s, about 1 min 4 s left"));
}

TEST_F(ProgressTest, SaysHowTheLatestResultIs) {
  auto line = progress(ProgressStyle::updating);
  line.plan(0, {{.pieces = std::vector<Piece>(4)}});
  for (const auto* loss : {"loss 3", "loss 2"}) {
    wait(4);
    line.done(loss);
  }
  line.tick();

  EXPECT_EQ(shown(), ": 2 of 4 results in 8 s, about 8 s left; loss 2");
}

TEST_F(ProgressTest, GoesOnWithinAPiece) {
  auto line = progress(ProgressStyle::updating);
  line.plan(0, {{.pieces = std::vector<Piece>(4)}});
  for (int i = 0; i < 2; ++i) {
    wait(10);
    line.done();
  }
  wait(3);
  line.tick();

  EXPECT_THAT(shown(), EndsWith("2 of 4 results in 23 s, about 17 s left"));
}

TEST_F(ProgressTest, NeverSaysThatNothingIsLeftWhileThereIsWork) {
  auto line = progress(ProgressStyle::updating);
  line.plan(0, {{.pieces = std::vector<Piece>(3)}});
  for (int i = 0; i < 2; ++i) {
    wait(0.01);
    line.done();
  }
  for (int i = 0; i < 5; ++i) {
    wait(3);
    line.tick();
  }

  EXPECT_THAT(shown(), HasSubstr("about 1 s left"));
  EXPECT_THAT(shown(), ::testing::Not(HasSubstr("about 0 s left")));
}

TEST_F(ProgressTest, WaitsForAllResultsOfAPiece) {
  auto line = progress(ProgressStyle::updating);
  line.plan(0, {{.pieces = {{.results = 2}, {.results = 2}}}});
  line.done();
  line.tick();
  line.done();
  line.tick();

  EXPECT_THAT(shown(), HasSubstr(": 1 of 4 results"));
  EXPECT_THAT(shown(), HasSubstr(": 2 of 4 results"));
}

TEST_F(ProgressTest, StaysAwayWhileItIsHidden) {
  auto line = progress(ProgressStyle::updating);
  line.name("p2p_perf");
  line.show();
  line.hide();
  line.tick();

  EXPECT_THAT(shown(), EndsWith(kErase));
}

TEST_F(ProgressTest, IsDrawnWhenItMayBeSeenAgainWhereItWasAskedForMeanwhile) {
  auto line = progress(ProgressStyle::updating);
  line.name("reduce_perf");
  line.show();
  line.hide();
  line.name("gather_perf");
  line.tick();
  line.show();

  EXPECT_THAT(shown(), EndsWith("gather_perf: 0 results in 0 s"));
}

TEST_F(ProgressTest, GivesALogALineEveryTenSeconds) {
  auto line = progress(ProgressStyle::lines);
  line.name("p2p_perf");
  line.plan(0, {{.pieces = std::vector<Piece>(100)}});
  for (int i = 0; i < 90; ++i) {
    wait(0.5);
    line.done();
    line.tick();
  }

  EXPECT_EQ(std::ranges::count(shown(), '\n'), 4);
  EXPECT_THAT(shown(), HasSubstr("p2p_perf: 20 of 100 results in 10 s, about 40 s left\n"));
}

TEST_F(ProgressTest, CountsResultsOfARunWithoutEnd) {
  auto line = progress(ProgressStyle::updating);
  line.name("all_reduce_perf");
  for (int i = 0; i < 6; ++i) {
    wait(4);
    line.done();
  }
  line.tick();

  EXPECT_THAT(shown(), EndsWith("all_reduce_perf: 6 results in 24 s"));
}

TEST_F(ProgressTest, IsSilentWhenItIsOff) {
  auto line = progress(ProgressStyle::off);
  line.plan(0, {{.pieces = std::vector<Piece>(4)}});
  line.show();
  line.tick();
  line.hide();

  EXPECT_EQ(shown(), "");
}

TEST_F(ProgressTest, DoesNotEndTheRunWhenStderrIsClosed) {
  Pipe pipe;
  Progress line(clock_, pipe.writer(), ProgressStyle::updating, "results");
  pipe.close_reader();

  EXPECT_NO_THROW(line.show());
}

TEST_F(ProgressTest, LetsASinkPrintWithTheLineOutOfTheWay) {
  auto line = progress(ProgressStyle::updating);
  line.name("all_reduce_perf");
  ConsoleTable table(*TextFile::append(folder_.path("stderr")), doubling(8, 64));
  UnderProgress sink(table, line);

  sink.begin(two_ranks());
  wait(1);
  line.tick();
  sink.row(row_of(all_reduce_of(8), {1, 1, 1}, {1, 1, 1}));
  wait(1);
  line.tick();
  sink.end(clean_end(1));

  EXPECT_THAT(shown(), HasSubstr(kErase + "           8"));
  EXPECT_THAT(shown(), HasSubstr(kErase + "# Out of bounds values"));
}

}  // namespace
}  // namespace linerate
