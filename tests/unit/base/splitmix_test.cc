// SplitMix64 against the published sequence.
#include "base/splitmix.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(SplitMix64, GivesThePublishedSequenceOfSeedZero) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(splitmix64(kSplitMixStep), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(splitmix64(2 * kSplitMixStep), 0x06c45d188009454fu);
}

}  // namespace
}  // namespace linerate
