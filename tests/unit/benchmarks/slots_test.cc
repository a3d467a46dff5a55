// Which parts of a pool of buffers the calls of a window get.
#include "benchmarks/peer/slots.h"

#include <gtest/gtest.h>

namespace linerate::benchmarks {
namespace {

TEST(SlotTurns, WarmCallsShareOneSlot) {
  SlotTurns turns;

  const auto range = turns.next(1000, 1);

  EXPECT_EQ(range.first, 0u);
  EXPECT_EQ(range.count, 1u);
}

TEST(SlotTurns, ASlotComesBackOnlyAfterTheWholePool) {
  SlotTurns turns;

  EXPECT_EQ(turns.next(4, 10).first, 0u);
  EXPECT_EQ(turns.next(4, 10).first, 4u);
  const auto third = turns.next(4, 10);  // two are left: too few

  EXPECT_EQ(third.first, 0u);
  EXPECT_EQ(third.count, 4u);
}

TEST(SlotTurns, MoreCallsThanSlotsTakeTheWholePool) {
  SlotTurns turns;
  (void)turns.next(3, 10);

  const auto range = turns.next(10, 10);

  EXPECT_EQ(range.first, 0u);
  EXPECT_EQ(range.count, 10u);
}

}  // namespace
}  // namespace linerate::benchmarks
