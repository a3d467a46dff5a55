// Tables of a search, by version.
#include "topo/search/search_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace linerate::topo {
namespace {

TEST(CandidateSpeeds, Fall) {
  for (int minor = 18; minor <= 30; ++minor)
    for (const int sm : {70, 80, 90, 100, 120})
      for (const bool multi_node : {false, true}) {
        const auto speeds = candidate_speeds({2, minor, 9}, sm, multi_node);
        EXPECT_TRUE(std::ranges::is_sorted(speeds, std::greater<>{})) << minor << " " << sm;
        EXPECT_GE(speeds.size(), 9u);
      }
}

TEST(CandidateSpeeds, AreThoseOfTheVersionAndTheOldestGpu) {
  EXPECT_EQ(candidate_speeds({2, 28, 9}, 80, false)[0], 40);
  EXPECT_EQ(candidate_speeds({2, 28, 9}, 90, false)[1], 50);
  EXPECT_EQ(candidate_speeds({2, 18, 6}, 90, false)[1], 40);
  EXPECT_EQ(candidate_speeds({2, 28, 9}, 100, true)[0], 96);
  EXPECT_EQ(candidate_speeds({2, 27, 3}, 100, true)[0], 47.9F);
  EXPECT_EQ(candidate_speeds({2, 24, 3}, 100, false)[0], 60);
  EXPECT_EQ(candidate_speeds({2, 29, 3}, 100, true)[1], 48);
  EXPECT_EQ(candidate_speeds({2, 29, 7}, 100, true)[1], 80);
  EXPECT_EQ(candidate_speeds({2, 30, 3}, 100, true)[1], 86);
}

TEST(SearchRules, HaveTwiceTheChannelsFrom225) {
  EXPECT_EQ(search_rules({2, 24, 3}).max_channels, 32);
  EXPECT_EQ(search_rules({2, 25, 1}).max_channels, 64);
}

}  // namespace
}  // namespace linerate::topo
