// What a repetition prints behind its table, and what it promises of its end.
#include "commands/repeat.h"

#include "commands/repeat_summary.h"
#include "commands/turns_progress.h"
#include "unit/compare/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RepeatSummary, HasMedianSpreadAndExtremesOfEachCase) {
  const auto text = repeat_summary(made_file("A", {10, 11, 30}));  // windows take a tenth more

  EXPECT_THAT(text, HasSubstr("# Repeated: 3 runs"));
  EXPECT_THAT(text, HasSubstr("1048576  out_of_place"));
  EXPECT_THAT(text, HasSubstr("12.1 us"));
  EXPECT_THAT(text, HasSubstr("(11.0 us to 33.0 us)"));
  EXPECT_THAT(text, HasSubstr("10 GB/s"));
}

TEST(RepeatSummary, HasNoWordThatParsersOfTheTableLookFor) {
  const auto text = repeat_summary(made_file("A", {10, 11, 30}));

  for (const auto* word : {"bandwidth", "FAILED", "out-of-place", "in-place", "Out of bounds"})
    EXPECT_THAT(text, Not(HasSubstr(word)));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.starts_with('#')) << line;
}

TEST(RepeatSummary, SaysWhatTellsCasesOfOneSizeApartInTheirOrder) {
  RunFile file{.runs = {made_run("1")}};
  for (const auto* redop : {"sum", "prod", "avg"})
    for (const auto placement : {Placement::out_of_place, Placement::in_place}) {
      auto& record = file.records.emplace_back(made_result("1", 1024, 10));
      record.what.redop = redop;
      record.what.placement = placement;
      record.group = 3;  // all the same: not told
    }

  std::istringstream lines(repeat_summary(file));
  std::vector<std::string> labels;
  for (std::string line; std::getline(lines, line);)
    if (line.find("1024") != std::string::npos) labels.push_back(line.substr(16, 17));

  EXPECT_THAT(labels, ElementsAre("sum out_of_place ", "sum in_place     ", "prod out_of_place",
                                  "prod in_place    ", "avg out_of_place ", "avg in_place     "));
}

TEST(RepeatSummary, TellsTypesRootsAndGroupsApart) {
  RunFile file{.runs = {made_run("1")},
               .records = {made_result("1", 8, 10), made_result("1", 8, 10)}};
  file.records[0].what.root = 0;
  file.records[1].what.root = 1;
  file.records[1].what.type = "half";
  file.records[1].group = 2;

  const auto text = repeat_summary(file);

  EXPECT_THAT(text, HasSubstr(" float root 0 out_of_place "));
  EXPECT_THAT(text, HasSubstr(" half root 1 group 2 out_of_place "));
}

TEST(RepeatSummary, IsEmptyWithoutRuns) { EXPECT_EQ(repeat_summary({}), ""); }

TEST(RepeatRefusal, SaysHowToRepeatALaunch) {
  RunConfig config;
  config.program = "all_reduce_perf";
  config.repeat = 5;

  EXPECT_FALSE(repeat_refusal(config, Launcher::none));
  EXPECT_FALSE(repeat_refusal(config, Launcher::nprocs));
  for (const auto launcher : {Launcher::mpi, Launcher::slurm, Launcher::env})
    EXPECT_THAT(*repeat_refusal(config, launcher), HasSubstr("LINERATE_STUDY=NAME:$i"));
  config.repeat = 1;
  EXPECT_FALSE(repeat_refusal(config, Launcher::mpi));
}

TEST(TurnsProgress, ForecastsFromTheFirstRunOn) {
  TurnsProgress progress("x", {10, 10}, ProgressStyle::off);
  EXPECT_FALSE(progress.seconds_left());

  progress.ended(0, 2.0);
  EXPECT_DOUBLE_EQ(*progress.seconds_left(), 9 * 2 + 10 * 2);  // B as long as A so far

  progress.ended(1, 4.0);
  progress.ended(1, 6.0);
  EXPECT_DOUBLE_EQ(*progress.seconds_left(), 9 * 2 + 8 * 5);
}

}  // namespace
}  // namespace linerate
