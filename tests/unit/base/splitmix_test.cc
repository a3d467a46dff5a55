// SplitMix64 against the published sequence.
#include "base/splitmix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace linerate {
namespace {

TEST(SplitMix64, GivesThePublishedSequenceOfSeedZero) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(splitmix64(kSplitMixStep), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(splitmix64(2 * kSplitMixStep), 0x06c45d188009454fu);
}

TEST(SplitMix, YieldsTheBitsOfItsSeedInOrder) {
  SplitMix random(7);

  EXPECT_EQ(random.next(), splitmix64(7));
  EXPECT_EQ(random.next(), splitmix64(7 + kSplitMixStep));
  EXPECT_EQ(random.below(1), 0u);
}

TEST(SplitMix, ShufflesAlikeForASeed) {
  std::vector<int> first(20);
  std::iota(first.begin(), first.end(), 0);
  auto in_order = first, second = first, other = first;
  SplitMix(7).shuffle(first);
  SplitMix(7).shuffle(second);
  SplitMix(8).shuffle(other);

  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
  std::ranges::sort(first);
  EXPECT_EQ(first, in_order);
}

}  // namespace
}  // namespace linerate
