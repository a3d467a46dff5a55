// The closed forms of the virtual clock, against numbers worked out by hand.
#include "backends/fake/time_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace linerate::fake {
namespace {

// 10 us a message, 1 GB/s: a thousand bytes take one microsecond.
constexpr double kAlphaUs = 10;
const FakeOptions kPlain{.alpha_us = kAlphaUs, .link_gbps = 1};
const std::vector<int> kFour{0, 1, 2, 3};

double collective_us(const TimeModel& model, OpKind kind, std::size_t bytes, int nranks = 4) {
  const Op op{.kind = kind, .count = bytes, .type = DataType::uint8};
  const std::vector<const Op*> calls(static_cast<std::size_t>(nranks), &op);
  return model.collective_us(calls);
}

TEST(TimeModel, OfAllReduceIsTwiceRoundTheRing) {
  const TimeModel model(kPlain, kFour);

  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::all_reduce, 8000), 2 * 3 * (kAlphaUs + 2));
}

TEST(TimeModel, OfAllGatherAndReduceScatterIsOnceRoundTheRing) {
  const TimeModel model(kPlain, kFour);

  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::all_gather, 2000), 3 * (kAlphaUs + 2));
  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::reduce_scatter, 2000), 3 * (kAlphaUs + 2));
}

TEST(TimeModel, OfAChainIsItsLatenciesAndTheBytesOnce) {
  const TimeModel model(kPlain, kFour);

  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::broadcast, 8000), 3 * kAlphaUs + 8);
  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::reduce, 8000), 3 * kAlphaUs + 8);
}

TEST(TimeModel, OfOneToAllIsTheRootsMessages) {
  const TimeModel model(kPlain, kFour);

  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::gather, 2000), 3 * (kAlphaUs + 2));
  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::scatter, 2000), 3 * (kAlphaUs + 2));
  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::all_to_all, 2000), 3 * (kAlphaUs + 2));
}

TEST(TimeModel, OfAllToAllVIsItsSlowestRank) {
  const TimeModel model(kPlain, {0, 1});
  const std::vector<Range> light{{0, 1000}, {0, 1000}};
  const std::vector<Range> heavy{{0, 1000}, {0, 5000}};
  const Op zero{.kind = OpKind::all_to_all_v,
                .type = DataType::uint8,
                .send_ranges = light,
                .recv_ranges = heavy};
  const std::vector<Range> back{{0, 5000}, {0, 1000}};
  const Op one{.kind = OpKind::all_to_all_v,
               .type = DataType::uint8,
               .send_ranges = back,
               .recv_ranges = light};

  EXPECT_DOUBLE_EQ(model.collective_us(std::vector{&zero, &one}), kAlphaUs + 5);
}

TEST(TimeModel, OfOneRankIsOneMessage) {
  const TimeModel model(kPlain, {0});

  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::all_reduce, 2000, 1), kAlphaUs + 2);
}

TEST(TimeModel, SlowsTheRingThatUsesTheSlowLink) {
  auto options = kPlain;
  options.slow_links = {{1, 2, 0.5}};
  const TimeModel model(options, kFour);

  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::all_reduce, 8000), 2 * 3 * (kAlphaUs + 4));
  EXPECT_DOUBLE_EQ(model.message_us(2, 1, 1000), kAlphaUs + 2);
  EXPECT_DOUBLE_EQ(model.message_us(0, 1, 1000), kAlphaUs + 1);
}

TEST(TimeModel, LeavesTheRingAloneWhenTheSlowLinkIsNotInIt) {
  auto options = kPlain;
  options.slow_links = {{0, 2, 0.5}};
  const TimeModel model(options, kFour);

  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::all_gather, 2000), 3 * (kAlphaUs + 2));
  EXPECT_DOUBLE_EQ(collective_us(model, OpKind::all_to_all, 2000), 3 * kAlphaUs + 2 + 2 + 4);
}

TEST(TimeModel, KnowsLinksByTheNamesOfTheRanks) {
  auto options = kPlain;
  options.slow_links = {{2, 5, 0.5}};
  const TimeModel model(options, {5, 2});

  EXPECT_DOUBLE_EQ(model.message_us(0, 1, 1000), kAlphaUs + 2);
}

TEST(TimeModel, NeverLetsNoiseTurnTimeRound) {
  auto options = kPlain;
  options.noise = 1;
  const TimeModel model(options, kFour);

  for (std::uint64_t call = 0; call < 10'000; ++call) ASSERT_GT(model.noisy_us(10, 0, call), 0);
}

constexpr int kDraws = 100'000;

TEST(Noise, IsAFunctionOfItsCoordinatesOnly) {
  EXPECT_EQ(mixed(1, 2), mixed(1, 2));
  EXPECT_NE(mixed(1, 2), mixed(2, 1));
  EXPECT_EQ(normal(42), normal(42));
}

TEST(Noise, IsUniformBetweenZeroAndOne) {
  double sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = uniform(mixed(1, i));
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }

  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
}

TEST(Noise, HasMeanZeroAndDeviationOne) {
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double z = normal(mixed(1, i));
    sum += z;
    squares += z * z;
  }

  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 1, 0.02);
}

}  // namespace

}  // namespace linerate::fake
