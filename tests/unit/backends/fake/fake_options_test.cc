// The text of --fake: what is read, and what is refused with which sentence.
#include "backends/fake/fake_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace linerate {
namespace {

using ::testing::HasSubstr;

TEST(FakeOptions, OfAnEmptyTextAreTheDefaults) {
  const auto options = parse_fake_options("");

  ASSERT_TRUE(options);
  EXPECT_EQ(options->seed, FakeOptions{}.seed);
  EXPECT_EQ(options->alpha_us, FakeOptions{}.alpha_us);
}

TEST(FakeOptions, ReadEveryKey) {
  const auto options = parse_fake_options(
      "alpha=5us,bw=10,noise=2%,seed=7,slow_rank=3:38us,slow_link=0-1:0.5,flip=2:5,"
      "bimodal=20%:3,hang=1:40,die=2:10");

  ASSERT_TRUE(options) << options.sentence();
  EXPECT_DOUBLE_EQ(options->alpha_us, 5);
  EXPECT_DOUBLE_EQ(options->link_gbps, 10);
  EXPECT_DOUBLE_EQ(options->noise, 0.02);
  EXPECT_EQ(options->seed, 7u);
  ASSERT_EQ(options->slow_ranks.size(), 1u);
  EXPECT_EQ(options->slow_ranks[0].rank, 3);
  EXPECT_DOUBLE_EQ(options->slow_ranks[0].extra_us, 38);
  ASSERT_EQ(options->slow_links.size(), 1u);
  EXPECT_EQ(options->slow_links[0].b, 1);
  EXPECT_DOUBLE_EQ(options->slow_links[0].factor, 0.5);
  ASSERT_EQ(options->flips.size(), 1u);
  EXPECT_EQ(options->flips[0].call, 5u);
  ASSERT_TRUE(options->bimodal);
  EXPECT_DOUBLE_EQ(options->bimodal->fraction, 0.2);
  EXPECT_DOUBLE_EQ(options->bimodal->factor, 3);
  ASSERT_EQ(options->hangs.size(), 1u);
  EXPECT_EQ(options->hangs[0].call, 40u);
  ASSERT_EQ(options->deaths.size(), 1u);
  EXPECT_EQ(options->deaths[0].rank, 2);
}

TEST(FakeOptions, FlipEveryCallWhereNoneIsNamed) {
  const auto options = parse_fake_options("flip=2");

  ASSERT_TRUE(options) << options.sentence();
  EXPECT_EQ(options->flips[0].rank, 2);
  EXPECT_EQ(options->flips[0].call, 0u);
}

TEST(FakeOptions, TakeAFaultSeveralTimesButASpeedOnce) {
  const auto faults = parse_fake_options("slow_rank=1:2us, slow_rank=2:3us");
  const auto speeds = parse_fake_options("bw=1,bw=2");

  ASSERT_TRUE(faults) << faults.sentence();
  EXPECT_EQ(faults->slow_ranks.size(), 2u);
  ASSERT_FALSE(speeds);
  EXPECT_EQ(speeds.sentence(), "--fake has 'bw' twice: give it once.");
}

TEST(FakeOptions, NameTheNearestKey) {
  const auto options = parse_fake_options("slowrank=3:38us");

  ASSERT_FALSE(options);
  EXPECT_THAT(options.sentence(), HasSubstr("Did you mean 'slow_rank'?"));
}

TEST(FakeOptions, SayWhatAKeyTakes) {
  const auto options = parse_fake_options("noise=2");

  ASSERT_FALSE(options);
  EXPECT_EQ(options.sentence(),
            "'noise=2' in --fake cannot be read: noise takes a percentage such as 2%.");
}

class RefusedFakeOptions : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RefusedFakeOptions, YieldASentence) {
  const auto options = parse_fake_options(GetParam());

  ASSERT_FALSE(options);
  EXPECT_THAT(options.sentence(), HasSubstr("--fake"));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedFakeOptions,
    ::testing::Values("alpha", "alpha=", "alpha=5", "alpha=-5us", "alpha=2000m", "bw=0", "bw=-1",
                      "bw=nan", "bw=inf", "bw=1e9", "noise=101%", "seed=-1", "seed=1.5",
                      "slow_rank=3", "slow_rank=3:38", "slow_rank=-1:3us", "slow_rank=70000:3us",
                      "slow_link=0:0.5", "slow_link=0-0:0.5", "slow_link=0-1:0", "slow_link=0-1:2",
                      "slow_link=0-1-2:0.5", "flip=", "flip=1:0", "flip=1:2:3", "bimodal=20:3",
                      "bimodal=20%", "bimodal=20%:0.5", "hang=1", "hang=1:0", "die=:", "die=1:x",
                      ",", "seed=1,", "=", "nothing=1", "seed=99999999999999999999999999999999"));

}  // namespace
}  // namespace linerate
