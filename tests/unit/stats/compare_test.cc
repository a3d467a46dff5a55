// Effects, intervals and verdicts between runs: exact on small numbers, and by simulation.
#include "stats/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace linerate::stats {
namespace {

using Random = std::mt19937_64;

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// Runs of a machine that is sometimes in a slow mode, and now and then disturbed.
double bimodal_run(Random& random) {
  std::normal_distribution<double> noise(0, 0.01);
  std::uniform_real_distribution<double> luck;
  double us = 100 * std::exp(noise(random));
  if (luck(random) < 0.3) us *= 1.4;
  if (luck(random) < 0.05) us *= 5;
  return us;
}

double steady_run(Random& random, double cv) {
  std::normal_distribution<double> noise(0, cv);
  return 100 * std::exp(noise(random));
}

// `repeats` of each side in blocks of `per_block`; `time` of the moment, counted in runs.
std::vector<Block> interleaved(int repeats, int per_block, double ratio,
                               const std::function<double(int moment)>& time) {
  std::vector<Block> blocks;
  int moment = 0;
  for (int first = 0; first < repeats; first += per_block) {
    auto& block = blocks.emplace_back();
    for (int i = first; i < std::min(first + per_block, repeats); ++i) {
      const bool a_first = i % 2 == 0;
      const double one = time(moment++), other = time(moment++);
      block.a.push_back(a_first ? one : other);
      block.b.push_back((a_first ? other : one) * ratio);
    }
  }
  return blocks;
}

TEST(Effect, IsTheMedianOfAllQuotientsOfOneBlock) {
  const std::vector<Block> blocks{{.a = {10, 11, 13}, .b = {20, 24, 30}}};

  const auto effect = effect_of(blocks);

  EXPECT_NEAR(effect.ratio, 24.0 / 11, 1e-9);  // 20/13 20/11 24/13 20/10 24/11 30/13 24/10 …
}

TEST(Effect, DoesNotDependOnTheUnit) {
  const std::vector<double> a{5, 6, 7, 9, 8}, b{6, 7, 8, 7.5, 9.5};

  const auto one = effect_of(std::vector<Block>{{a, b}});
  const auto other = effect_of(std::vector<Block>{{scaled(a, 1000), scaled(b, 1000)}});

  EXPECT_NEAR(one.ratio, other.ratio, 1e-9);
  EXPECT_NEAR(one.low, other.low, 1e-9);
  EXPECT_DOUBLE_EQ(one.p, other.p);
}

TEST(Effect, IsTheInverseWhenSidesAreExchanged) {
  const std::vector<double> a{5, 6, 7, 9, 8}, b{6, 7, 8, 7.5, 9.5};

  const auto one = effect_of(std::vector<Block>{{a, b}});
  const auto other = effect_of(std::vector<Block>{{b, a}});

  EXPECT_NEAR(one.ratio * other.ratio, 1, 1e-9);
  EXPECT_NEAR(one.low * other.high, 1, 1e-9);
  EXPECT_DOUBLE_EQ(one.p, other.p);
}

TEST(Effect, CountsAllWaysToChooseSides) {
  const std::vector<Block> apart{{.a = {1, 2, 3, 4, 5}, .b = {6, 7, 8, 9, 10}}};
  EXPECT_NEAR(effect_of(apart).p, 2.0 / 252, 1e-12);  // 10 over 5

  const std::vector<Block> nearly{{.a = {1, 2, 3, 4, 6}, .b = {5, 7, 8, 9, 10}}};
  EXPECT_NEAR(effect_of(nearly).p, 4.0 / 252, 1e-12);
}

TEST(Effect, SharesRanksAmongEqualTimes) {
  const std::vector<Block> tied{{.a = {1, 1, 3, 4}, .b = {3, 4, 2, 3}}};

  EXPECT_NEAR(effect_of(tied).p, 40.0 / 70, 1e-12);  // all choices counted by hand
}

TEST(Effect, ChoosesSidesWithinBlocksAlone) {
  std::vector<Block> blocks;
  for (int i = 0; i < 5; ++i) {
    const double level = 100.0 * (i + 1);
    blocks.push_back({.a = {level, level * 1.001}, .b = {level * 1.1, level * 1.102}});
  }

  EXPECT_NEAR(effect_of(blocks).p, 2 / std::pow(6, 5), 1e-12);  // 4 over 2, five times
}

TEST(Effect, OfPairsIsWilcoxonsSignedRank) {
  std::vector<Block> blocks;
  for (int i = 1; i <= 6; ++i) blocks.push_back({.a = {100}, .b = {100.0 + i}});

  EXPECT_NEAR(effect_of(blocks).p, 2.0 / 64, 1e-12);
}

TEST(Effect, OfEqualRunsIsOneWithoutWidth) {
  const std::vector<double> same(10, 42.0);

  const auto effect = effect_of(std::vector<Block>{{same, same}});

  EXPECT_NEAR(effect.ratio, 1, 1e-9);
  EXPECT_NEAR(effect.low, 1, 1e-9);
  EXPECT_NEAR(effect.high, 1, 1e-9);
  EXPECT_EQ(effect.p, 1);
}

TEST(Effect, OfTooFewRunsHasNoInterval) {
  const auto effect = effect_of(std::vector<Block>{{{10, 11, 12}, {20, 21, 22}}});

  EXPECT_TRUE(std::isnan(effect.low));
  EXPECT_TRUE(std::isnan(effect.high));
  EXPECT_NEAR(effect.p, 0.1, 1e-12);
}

TEST(Effect, LeavesBlocksOfOneSideOut) {
  const std::vector<Block> whole{{{1, 2}, {3, 4}}};
  const std::vector<Block> more{{{1, 2}, {3, 4}}, {{100}, {}}};

  EXPECT_DOUBLE_EQ(effect_of(whole).p, effect_of(more).p);
  EXPECT_TRUE(std::isnan(effect_of(std::vector<Block>{{{1}, {}}}).ratio));
}

TEST(Effect, IsNotMovedByOneWildRun) {
  std::vector<double> a, b;
  for (int i = 0; i < 10; ++i) a.push_back(100 + 0.1 * i), b.push_back(105 + 0.1 * i);
  a[3] = 2000;

  const auto effect = effect_of(std::vector<Block>{{a, b}});

  EXPECT_NEAR(effect.ratio, 1.05, 0.002);
  EXPECT_LT(effect.p, 0.01);
}

TEST(Effect, IntervalEnclosesTheRatioOfBimodalRuns) {
  Random random(7);
  constexpr int kTrials = 1000;
  int enclosed = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Block block;
    for (int i = 0; i < 10; ++i) {
      block.a.push_back(bimodal_run(random));
      block.b.push_back(bimodal_run(random) * 1.25);
    }
    const auto effect = effect_of(std::vector<Block>{block});
    enclosed += effect.low <= 1.25 && 1.25 <= effect.high ? 1 : 0;
  }

  EXPECT_GE(enclosed, 940);  // exact: at least 95 %; three standard deviations below
  EXPECT_LE(enclosed, 985);  // and not because it is as wide as can be
}

TEST(Effect, ApproximatesWhereThereAreManyRuns) {
  Random random(11);
  constexpr int kTrials = 1000;
  int refused = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Block block;
    for (int i = 0; i < 30; ++i) {
      block.a.push_back(steady_run(random, 0.1));
      block.b.push_back(steady_run(random, 0.1));
    }
    refused += effect_of(std::vector<Block>{block}).p <= 0.05 ? 1 : 0;
  }

  EXPECT_GE(refused, 30);
  EXPECT_LE(refused, 70);
}

TEST(Effect, IsFoundInBlocksThoughTheMachineDrifts) {
  Random random(5);
  constexpr int kTrials = 200;
  int in_blocks = 0, in_one = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto drifting = [&](int moment) {
      return steady_run(random, 0.01) * (1 + 0.02 * moment);  // 40 % over the study
    };
    const auto blocks = interleaved(10, 2, 1.05, drifting);
    Block all;
    for (const auto& block : blocks) {
      all.a.insert(all.a.end(), block.a.begin(), block.a.end());
      all.b.insert(all.b.end(), block.b.begin(), block.b.end());
    }
    in_blocks += effect_of(blocks).p <= 0.01 ? 1 : 0;
    in_one += effect_of(std::vector<Block>{all}).p <= 0.01 ? 1 : 0;
  }

  EXPECT_GE(in_blocks, kTrials * 9 / 10);
  EXPECT_LE(in_one, kTrials / 10);
}

TEST(Effect, OfRunsAtTheSameTimeIsFoundThoughEachMomentDiffers) {
  Random random(7);
  constexpr int kTrials = 100;
  int by_itself = 0, with_neighbours = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Block> blocks;
    for (int repeat = 0; repeat < 10; ++repeat) {
      const double moment = steady_run(random, 0.1);
      blocks.push_back({.a = {moment * steady_run(random, 0.01)},
                        .b = {moment * steady_run(random, 0.01) * 1.02}});
    }
    by_itself += effect_of(blocks, Level::of_block).p <= 0.01 ? 1 : 0;
    with_neighbours += effect_of(blocks, Level::with_neighbours).p <= 0.01 ? 1 : 0;
  }

  EXPECT_GE(by_itself, kTrials * 80 / 100);
  EXPECT_LE(with_neighbours, by_itself * 3 / 4);
}

TEST(Effect, OfRunsAtTheSameTimeIsSeldomFalse) {
  Random random(8);
  constexpr int kTrials = 300;
  int refused = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Block> blocks;
    for (int repeat = 0; repeat < 10; ++repeat)
      blocks.push_back({.a = {steady_run(random, 0.01)}, .b = {steady_run(random, 0.01)}});
    refused += effect_of(blocks, Level::of_block).p <= 0.05 ? 1 : 0;
  }

  EXPECT_GE(refused, 4);
  EXPECT_LE(refused, 27);
}

TEST(Adjusted, IsBenjaminisAndHochbergs) {
  const auto out = adjusted(std::vector<double>{0.04, 0.001, 0.03, 0.5});

  ASSERT_EQ(out.size(), 4u);
  EXPECT_NEAR(out[0], 0.04 * 4 / 3, 1e-12);
  EXPECT_NEAR(out[1], 0.004, 1e-12);
  EXPECT_NEAR(out[2], 0.04 * 4 / 3, 1e-12);  // 0.03 * 4 / 2 is more than its larger neighbour's
  EXPECT_NEAR(out[3], 0.5, 1e-12);
  EXPECT_TRUE(adjusted({}).empty());
}

TEST(DifferenceOf, NeedsBothSureAndLargeEnough) {
  const Rule rule{.smallest = 0.02, .false_discoveries = 0.01};

  EXPECT_EQ(difference_of({.ratio = 1.03, .low = 1.01, .high = 1.05}, 0.01, rule),
            Difference::slower);
  EXPECT_EQ(difference_of({.ratio = 0.97, .low = 0.96, .high = 0.98}, 0.001, rule),
            Difference::faster);
  EXPECT_EQ(difference_of({.ratio = 1.03, .low = 1.01, .high = 1.05}, 0.011, rule),
            Difference::unsure);
  EXPECT_EQ(difference_of({.ratio = 1.015, .low = 1.01, .high = 1.019}, 0.001, rule),
            Difference::same);
  EXPECT_EQ(difference_of({.ratio = 1.001, .low = 0.99, .high = 1.03}, 0.9, rule),
            Difference::unsure);
  EXPECT_EQ(difference_of({.ratio = 1.0}, 1, rule), Difference::unsure);
}

TEST(FewestRuns, AreThoseWhoseSmallestPIsEnough) {
  EXPECT_EQ(fewest_runs(1, {}), 5u);       // 2 / 252 < 1 %
  EXPECT_EQ(fewest_runs(22, {}), 8u);      // 2 / 12870 < 1 % / 22
  EXPECT_EQ(fewest_runs(1, {}, 2), 6u);    // 2 / 6^3
  EXPECT_EQ(fewest_runs(22, {}, 2), 10u);  // 2 / 6^5
}

TEST(SmallestP, IsThatOfSidesThatLieApartInEachBlock) {
  const std::vector<Block> blocks{{{1, 2}, {3, 4}}, {{5}, {6}}, {{7, 8, 9}, {}}};

  EXPECT_NEAR(smallest_p(blocks), 2.0 / (6 * 2), 1e-12);
  EXPECT_NEAR(effect_of(blocks).p, smallest_p(blocks), 1e-12);
  EXPECT_EQ(smallest_p({}), 1);
}

TEST(RunsToDecide, GrowWithTheSquareOfTheWidth) {
  const Effect effect{.ratio = 1, .low = std::exp(-0.04), .high = std::exp(0.04)};

  const auto runs = runs_to_decide(effect, 10, {.smallest = std::exp(0.02) - 1});

  ASSERT_TRUE(runs);
  EXPECT_NEAR(static_cast<double>(*runs), 40, 1);
  EXPECT_FALSE(runs_to_decide({.ratio = 1}, 10, {}));
}

// Cases of one run resemble each other: half of their noise is the run's.
struct Study {
  int comparisons = 0, with_any = 0, cases = 0, called = 0;
};

Study simulate(double ratio, double cv, int comparisons,
               const std::function<double(Random&)>& disturbance) {
  constexpr int kCases = 22, kRepeats = 10;
  Random random(99);
  Study study{.comparisons = comparisons};
  for (int comparison = 0; comparison < comparisons; ++comparison) {
    std::vector<double> of_run(2 * kRepeats);
    for (double& one : of_run) one = steady_run(random, cv / std::sqrt(2)) * disturbance(random);
    std::vector<Effect> effects;
    std::vector<double> p;
    for (int i = 0; i < kCases; ++i) {
      effects.push_back(effect_of(interleaved(kRepeats, 2, ratio, [&](int moment) {
        return of_run[static_cast<std::size_t>(moment)] * steady_run(random, cv / std::sqrt(2));
      })));
      p.push_back(effects.back().p);
    }
    int called = 0;
    for (std::size_t i = 0; i < effects.size(); ++i) {
      const auto verdict = difference_of(effects[i], adjusted(p)[i], {});
      called += verdict == Difference::slower || verdict == Difference::faster ? 1 : 0;
    }
    study.cases += kCases;
    study.called += called;
    study.with_any += called > 0 ? 1 : 0;
  }
  return study;
}

double now_and_then(Random& random) {
  return std::uniform_real_distribution<double>()(random) < 0.15 ? 1.5 : 1.0;
}

TEST(Verdicts, AreSeldomFalseWhereNothingHasChanged) {
  const auto study = simulate(1, 0.05, 100, now_and_then);

  EXPECT_LE(study.called, study.cases / 100);
  EXPECT_LE(study.with_any, 4);  // 1 % are expected at most: P(> 4 of 100) < 0.4 %
}

TEST(Verdicts, FindFivePercentWhereRunsVaryByTwo) {
  const auto study = simulate(1.05, 0.02, 40, [](Random&) { return 1.0; });

  EXPECT_GE(study.called, study.cases * 95 / 100);
}

TEST(Verdicts, FindFivePercentThoughRunsAreDisturbedNowAndThen) {
  const auto study = simulate(1.05, 0.01, 40, now_and_then);

  EXPECT_GE(study.called, study.cases * 60 / 100);
}

}  // namespace
}  // namespace linerate::stats
