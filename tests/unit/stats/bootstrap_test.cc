// The interval of a few paired runs.
#include "stats/bootstrap.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate::stats {
namespace {

TEST(PairedBootstrap, OfTwoPairsReachesFromOneToTheOther) {
  const auto interval = paired_bootstrap(std::vector<double>{0.1, 0.3});

  EXPECT_DOUBLE_EQ(interval.low, 0.1);
  EXPECT_DOUBLE_EQ(interval.high, 0.3);
}

TEST(PairedBootstrap, HoldsTheMedianAndNarrowsWithMorePairs) {
  std::vector<double> few, many;
  for (int i = 0; i < 200; ++i) {
    const double value = 0.05 + 0.02 * ((i * 37) % 11 - 5);
    if (i < 8) few.push_back(value);
    many.push_back(value);
  }
  const auto wide = paired_bootstrap(few), narrow = paired_bootstrap(many);

  EXPECT_LE(narrow.low, 0.05);
  EXPECT_GE(narrow.high, 0.05);
  EXPECT_LT(narrow.high - narrow.low, (wide.high - wide.low) / 2);
}

TEST(PairedBootstrap, DoesNotFollowOneOutlier) {
  const auto interval =
      paired_bootstrap(std::vector<double>{0.1, 0.11, 0.09, 0.1, 0.12, 0.1, 0.11, 9});

  EXPECT_LT(interval.high, 0.2);
}

TEST(PairedBootstrap, IsTheSameForTheSameSeed) {
  const std::vector<double> differences{0.1, -0.2, 0.3, 0.05};
  const auto one = paired_bootstrap(differences, 7), same = paired_bootstrap(differences, 7);

  EXPECT_EQ(one.low, same.low);
  EXPECT_EQ(one.high, same.high);
}

}  // namespace
}  // namespace linerate::stats
