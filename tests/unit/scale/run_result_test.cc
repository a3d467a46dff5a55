// A run's steps summed up, and runs as lines.
#include "scale/run_result.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::scale {
namespace {

using ::testing::HasSubstr;

// A step whose parts are 60, 10, 20 and 10 % of it.
std::string step_line(double step_us) {
  return fmt::format(
      R"({{"kind":"step","step_us":{},"compute_us":{},"idle_us":{},"tokens":1024,"comm":[)"
      R"({{"axis":"dp","exposed_wait_us":{},"exposed_transfer_us":0}},)"
      R"({{"axis":"tp","exposed_wait_us":0,"exposed_transfer_us":{}}}]}})"
      "\n",
      step_us, 0.6 * step_us, 0.1 * step_us, 0.1 * step_us, 0.2 * step_us);
}
constexpr std::string_view kEnd = R"({"kind":"end","exit_code":0})"
                                  "\n";

TEST(StepTimes, AreThoseOfTheMedianStepAndAddUp) {
  const auto times =
      step_times_of(step_line(100) + step_line(300) + step_line(200) + std::string(kEnd));

  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->step_us, 200);
  EXPECT_DOUBLE_EQ(times->compute_us, 120);
  EXPECT_DOUBLE_EQ(times->wait_us, 20);
  EXPECT_DOUBLE_EQ(times->transfer_us, 40);
  EXPECT_DOUBLE_EQ(times->idle_us, 20);
  EXPECT_DOUBLE_EQ(times->exposed_us.at("dp"), 20);
  EXPECT_DOUBLE_EQ(times->exposed_us.at("tp"), 40);
  EXPECT_EQ(times->tokens, 1024);
}

TEST(StepTimes, LeaveTheFirstTwoOfMoreThanFourOut) {
  std::string text = step_line(9000) + step_line(8000);
  for (int i = 0; i < 3; ++i) text += step_line(100);
  EXPECT_DOUBLE_EQ(step_times_of(text + std::string(kEnd))->step_us, 100);
}

TEST(StepTimes, AreNoneOfARunThatDidNotEndWell) {
  EXPECT_FALSE(step_times_of(step_line(100)));
  EXPECT_FALSE(step_times_of(step_line(100) + R"({"kind":"end","exit_code":4})"));
  EXPECT_FALSE(step_times_of(kEnd));
  EXPECT_FALSE(step_times_of(R"({"kind":"step","step_us":5})"
                             "\n" +
                             std::string(kEnd)));  // without tokens
  EXPECT_FALSE(step_times_of("no JSON\n"));
  EXPECT_FALSE(step_times_of(R"({"kind":"step","step_us":"fast"})"
                             "\n"));
}

RunResult some_run() {
  return {.layout = "ddp",
          .nranks = 2,
          .batch = 8,
          .repeat = 3,
          .command = "train_ddp -t 2",
          .elapsed_s = 1.5,
          .times = {.step_us = 10, .compute_us = 10, .exposed_us = {{"dp", 1}}, .tokens = 64}};
}

constexpr std::string_view kPipeline =
    R"({"kind":"end","exit_code":0,"pipeline_step":{"stage":[0,1],"action":["forward","backward"],)"
    R"("chunk":[0,1],"micro_batch":[2,3],"start_us":[0,5.5],"end_us":[5,9]}})"
    "\n";

TEST(PipelineSteps, ReadAsTrainersWriteThemAndAsRunsDo) {
  auto run = some_run();
  run.pipeline_step = pipeline_step_of(step_line(100) + std::string(kPipeline));
  ASSERT_FALSE(run.pipeline_step.is_null());

  const auto read = read_results(line_of(run));

  ASSERT_TRUE(read) << read.sentence();
  EXPECT_EQ(read->front().pipeline_step, json::Json::parse(kPipeline)["pipeline_step"]);
}

TEST(PipelineSteps, AreNoneWhereTheyMakeNoSense) {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(kPipeline);
    return pipeline_step_of(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_TRUE(pipeline_step_of(kEnd).is_null());
  EXPECT_TRUE(with("[0,1],\"action", "[0,-1],\"action").is_null());
  EXPECT_TRUE(with("\"chunk\"", "\"piece\"").is_null());
  EXPECT_TRUE(with("[5,9]", "[5]").is_null());
  EXPECT_TRUE(with("\"backward\"", "7").is_null());
  EXPECT_TRUE(with("\"backward\"", "\"sideways\"").is_null());
}

TEST(RunResults, ReadAsTheyWereWritten) {
  auto failed = some_run();
  failed.outcome = Outcome::failed;
  failed.exit_code = 4;
  failed.reason = "rank 1 died";

  const auto read = read_results(line_of(some_run()) + line_of(failed));

  ASSERT_TRUE(read) << read.sentence();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].command, "train_ddp -t 2");
  EXPECT_EQ((*read)[0].repeat, 3);
  EXPECT_EQ((*read)[0].times.exposed_us.at("dp"), 1);
  EXPECT_EQ((*read)[1].outcome, Outcome::failed);
  EXPECT_EQ((*read)[1].reason, "rank 1 died");
}

TEST(RunResults, LoseATornLastLineAlone) {
  const auto whole = line_of(some_run());
  const auto read = read_results(whole + whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 1U);
}

TEST(RunResults, AreNoOtherLines) {
  EXPECT_THAT(read_results(line_of(some_run()) + "{\"kind\":\"step\"}\n").sentence(),
              HasSubstr("line 2"));
  auto newer = line_of(some_run());
  newer.replace(newer.find("\"schema\":1"), 10, "\"schema\":2");
  EXPECT_FALSE(read_results(newer));
  EXPECT_THAT(read_results("text\n").sentence(), HasSubstr("line 1"));
}

}  // namespace
}  // namespace linerate::scale
