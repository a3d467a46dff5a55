// Which nodes are tried again.
#include "bench/survey/link_prober.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// Rounds that take their full time where one of 16 nodes is out of reach of all.
TEST(PairHistories, GiveANodeUpAfterTwoPairs) {
  constexpr int kNodes = 16, kLost = 5;
  PairHistory history(kNodes);
  int slow_rounds = 0, given_up = 0;

  for (const auto& round : pair_rounds(kNodes, true)) {
    bool slow = false;
    for (const auto& pair : round) {
      if (history.gives_up(pair)) {
        ++given_up;
        continue;
      }
      const bool lost = pair.first == kLost || pair.second == kLost;
      slow = slow || lost;
      history.note(pair, !lost);
    }
    slow_rounds += slow ? 1 : 0;
  }

  EXPECT_EQ(slow_rounds, 2);
  EXPECT_EQ(given_up, kNodes - 1 - 2);
}

TEST(PairHistories, KeepANodeThatSomebodyReaches) {
  PairHistory history(5);
  history.note({0, 1}, true);
  for (const int other : {2, 3, 4}) history.note({0, other}, false);

  EXPECT_FALSE(history.gives_up({0, 1}));
}

}  // namespace
}  // namespace linerate
