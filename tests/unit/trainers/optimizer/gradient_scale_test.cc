// The loss scale and clipping.
#include "trainers/optimizer/gradient_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace linerate::trainers {
namespace {

void update(LossScale& scale, int steps, bool overflow) {
  for (int i = 0; i < steps; ++i) scale.update(overflow);
}

TEST(LossScale, ToleratesOneOverflow) {
  LossScale scale;
  EXPECT_EQ(scale.scale(), 65536);

  scale.update(true);
  EXPECT_EQ(scale.scale(), 65536);
  scale.update(true);
  EXPECT_EQ(scale.scale(), 32768);
  scale.update(true);
  EXPECT_EQ(scale.scale(), 16384);
}

TEST(LossScale, DoublesAfterAWindowWithoutOverflow) {
  LossScale scale;

  update(scale, 999, false);
  EXPECT_EQ(scale.scale(), 65536);
  scale.update(false);
  EXPECT_EQ(scale.scale(), 131072);
  update(scale, 1000, false);
  EXPECT_EQ(scale.scale(), 262144);
}

TEST(LossScale, BeginsItsWindowAnewAtAnOverflow) {
  LossScale scale;

  update(scale, 999, false);
  scale.update(true);
  update(scale, 999, false);
  EXPECT_EQ(scale.scale(), 65536);
  scale.update(false);
  EXPECT_EQ(scale.scale(), 131072);
}

TEST(LossScale, ToleratesAgainOnceItHasDoubled) {
  LossScale scale({.initial = 16, .window = 3});
  scale.update(true);
  update(scale, 2, false);
  scale.update(true);  // the second one, however long after the first
  EXPECT_EQ(scale.scale(), 8);

  update(scale, 3, false);
  scale.update(true);
  EXPECT_EQ(scale.scale(), 16);
}

TEST(LossScale, KeepsWithinItsLimits) {
  LossScale scale({.initial = 4, .window = 1, .hysteresis = 1, .floor = 1, .ceiling = 8});

  update(scale, 5, true);
  EXPECT_EQ(scale.scale(), 1);
  update(scale, 5, false);
  EXPECT_EQ(scale.scale(), 8);
}

TEST(LossScale, GoesOnFromItsState) {
  LossScale scale({.window = 5}), resumed({.window = 5});
  const auto overflows = [](int step) { return step % 7 == 3 || step % 11 == 5; };
  for (int step = 0; step < 40; ++step) scale.update(overflows(step));
  resumed.restore(scale.state());

  for (int step = 40; step < 80; ++step) {
    scale.update(overflows(step));
    resumed.update(overflows(step));
    EXPECT_EQ(resumed.state(), scale.state());
  }
}

TEST(Clip, BringsTheNormToItsLimit) {
  const double norm = global_norm(900.0 * 4, 2);  // gradients that sum over two tokens

  EXPECT_EQ(norm, 30);
  EXPECT_DOUBLE_EQ(norm * clip_factor(norm, 1.5), 1.5);
  EXPECT_EQ(clip_factor(1.5, 1.5), 1);
  EXPECT_EQ(clip_factor(0, 1.5), 1);
  EXPECT_EQ(clip_factor(norm, 0), 1);
}

TEST(Clip, NormTellsOverflow) {
  const double inf = std::numeric_limits<double>::infinity();

  EXPECT_FALSE(std::isfinite(global_norm(inf, 65536)));
}

}  // namespace
}  // namespace linerate::trainers
