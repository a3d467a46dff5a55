// Tests of the allocator of region.h.
#include "backends/host/region.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace linerate::host {
namespace {

TEST(RangeAllocator, TakesTheFirstRangeThatFits) {
  RangeAllocator ranges(1000, 1000);
  const auto first = ranges.take(100, 1);
  (void)ranges.take(50, 1);
  ranges.give_back(*first, 100);

  const auto again = ranges.take(80, 1);

  EXPECT_EQ(again, 1000u);
}

TEST(RangeAllocator, AlignsOffsetsAndKeepsWhatIsSkipped) {
  RangeAllocator ranges(64, 8192);

  const auto aligned = ranges.take(4096, 4096);
  const auto before = ranges.take(4000, 1);

  EXPECT_EQ(aligned, 4096u);
  EXPECT_EQ(before, 64u);
}

TEST(RangeAllocator, YieldsNothingWhenNoRangeIsLargeEnough) {
  RangeAllocator ranges(0, 100);

  EXPECT_FALSE(ranges.take(101, 1));
  EXPECT_FALSE(ranges.take(static_cast<std::size_t>(-1), 1));
  EXPECT_TRUE(ranges.take(100, 1));
  EXPECT_FALSE(ranges.take(1, 1));
}

TEST(RangeAllocator, JoinsNeighboursInAnyOrderOfReturn) {
  RangeAllocator ranges(0, 300);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(ranges.take(100, 1));

  ranges.give_back(0, 100);
  ranges.give_back(200, 100);
  ranges.give_back(100, 100);

  EXPECT_EQ(ranges.largest_free_bytes(), 300u);
}

TEST(RangeAllocator, NeverHandsOutAByteTwiceAndLosesNone) {
  RangeAllocator ranges(128, 1 << 20);
  std::map<std::size_t, std::size_t> held;
  std::mt19937 random(7);

  for (int step = 0; step < 5000; ++step) {
    if (held.size() > 40 || (!held.empty() && random() % 2 == 0)) {
      auto victim = held.begin();
      std::advance(victim, static_cast<long>(random() % held.size()));
      ranges.give_back(victim->first, victim->second);
      held.erase(victim);
      continue;
    }
    const std::size_t bytes = 1 + random() % 40000;
    const std::size_t alignment = std::size_t{1} << random() % 13;
    const auto offset = ranges.take(bytes, alignment);
    if (!offset) continue;
    ASSERT_EQ(*offset % alignment, 0u);
    const auto next = held.lower_bound(*offset);
    ASSERT_TRUE(next == held.end() || *offset + bytes <= next->first);
    ASSERT_TRUE(next == held.begin() ||
                std::prev(next)->first + std::prev(next)->second <= *offset);
    held.emplace(*offset, bytes);
  }
  for (const auto& [offset, bytes] : held) ranges.give_back(offset, bytes);

  EXPECT_EQ(ranges.largest_free_bytes(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace linerate::host
