// The learning rate of each step.
#include "trainers/optimizer/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace linerate::trainers {
namespace {

Schedule schedule(Decay decay) {
  return {.decay = decay, .peak = 0.8, .floor = 0.2, .warmup_steps = 4, .steps = 12};
}

TEST(Schedule, WarmsUpFromTheFirstStep) {
  for (const auto decay : {Decay::constant, Decay::linear, Decay::cosine}) {
    EXPECT_DOUBLE_EQ(schedule(decay).lr(1), 0.2);
    EXPECT_DOUBLE_EQ(schedule(decay).lr(3), 0.6);
    EXPECT_DOUBLE_EQ(schedule(decay).lr(4), 0.8);
  }
}

TEST(Schedule, FallsLinearly) {
  const auto linear = schedule(Decay::linear);

  EXPECT_DOUBLE_EQ(linear.lr(6), 0.65);
  EXPECT_DOUBLE_EQ(linear.lr(8), 0.5);
  EXPECT_DOUBLE_EQ(linear.lr(12), 0.2);
  EXPECT_DOUBLE_EQ(linear.lr(100), 0.2);
}

TEST(Schedule, FallsByHalfAWave) {
  const auto cosine = schedule(Decay::cosine);

  EXPECT_DOUBLE_EQ(cosine.lr(6), 0.2 + 0.6 * (0.5 + std::sqrt(0.5) / 2));
  EXPECT_DOUBLE_EQ(cosine.lr(8), 0.5);
  EXPECT_DOUBLE_EQ(cosine.lr(10), 0.2 + 0.6 * (0.5 - std::sqrt(0.5) / 2));
  EXPECT_DOUBLE_EQ(cosine.lr(12), 0.2);
  EXPECT_DOUBLE_EQ(cosine.lr(13), 0.2);
}

TEST(Schedule, StaysConstant) {
  EXPECT_DOUBLE_EQ(schedule(Decay::constant).lr(5), 0.8);
  EXPECT_DOUBLE_EQ(schedule(Decay::constant).lr(1000), 0.8);
}

TEST(Schedule, NeedsNoWarmUp) {
  const Schedule linear{.decay = Decay::linear, .peak = 1, .steps = 4};

  EXPECT_DOUBLE_EQ(linear.lr(1), 0.75);
  EXPECT_DOUBLE_EQ(linear.lr(4), 0);
}

TEST(Schedule, ThatEndsWithItsWarmUpIsAtItsFloorThen) {
  const Schedule short_one{.peak = 1, .floor = 0.1, .warmup_steps = 5, .steps = 5};

  EXPECT_DOUBLE_EQ(short_one.lr(5), 1);
  EXPECT_DOUBLE_EQ(short_one.lr(6), 0.1);
}

TEST(Decay, HasThreeNames) {
  EXPECT_EQ(*parse_decay("constant"), Decay::constant);
  EXPECT_EQ(*parse_decay("linear"), Decay::linear);
  EXPECT_EQ(*parse_decay("cosine"), Decay::cosine);
  EXPECT_EQ(parse_decay("cosin").sentence(),
            "Unknown decay 'cosin': choose one of constant, linear, cosine. Did you mean "
            "'cosine'?");
}

}  // namespace
}  // namespace linerate::trainers
