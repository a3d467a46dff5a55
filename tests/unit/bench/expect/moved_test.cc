// The least that each collective moves through a shared memory, in closed forms.
#include "bench/expect/moved.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::size_t kCount = 100;  // of the count column

Moved moved(std::string_view name, int nranks, Placement placement = Placement::out_of_place) {
  return moved_of(*find_collective(name), {.count = kCount, .nranks = nranks}, 0, placement);
}

TEST(DataMoved, ByReductionsIsEveryInputAndEveryResult) {
  EXPECT_EQ(moved("all_reduce", 4), (Moved{4 * kCount, 4 * kCount}));
  EXPECT_EQ(moved("reduce", 4), (Moved{4 * kCount, kCount}));
  // 100 elements a rank of a result that is spread over 4 ranks.
  EXPECT_EQ(moved("reduce_scatter", 4), (Moved{16 * kCount, 4 * kCount}));
}

TEST(DataMoved, ByReductionsIsNoLessInPlace) {
  for (const auto* name : {"all_reduce", "reduce", "reduce_scatter"})
    EXPECT_EQ(moved(name, 3, Placement::in_place), moved(name, 3)) << name;
}

// An input that several ranks get is read once: it stays in a cache.
TEST(DataMoved, ByCopiesIsReadOnce) {
  EXPECT_EQ(moved("all_gather", 4), (Moved{4 * kCount, 16 * kCount}));
  EXPECT_EQ(moved("broadcast", 4), (Moved{kCount, 4 * kCount}));
  EXPECT_EQ(moved("all_to_all", 4), (Moved{16 * kCount, 16 * kCount}));
  EXPECT_EQ(moved("gather", 4), (Moved{4 * kCount, 4 * kCount}));
  EXPECT_EQ(moved("scatter", 4), (Moved{4 * kCount, 4 * kCount}));
  EXPECT_EQ(moved("sendrecv", 4), (Moved{4 * kCount, 4 * kCount}));
}

TEST(DataMoved, InPlaceLeavesOutWhatLiesThereAlready) {
  EXPECT_EQ(moved("all_gather", 4, Placement::in_place), (Moved{4 * kCount, 12 * kCount}));
  EXPECT_EQ(moved("broadcast", 4, Placement::in_place), (Moved{kCount, 3 * kCount}));
  EXPECT_EQ(moved("scatter", 4, Placement::in_place), (Moved{3 * kCount, 3 * kCount}));
}

TEST(DataMoved, OfOneRankAloneIsItsCopy) {
  EXPECT_EQ(moved("all_reduce", 1), (Moved{kCount, kCount}));
  EXPECT_EQ(moved("broadcast", 1, Placement::in_place), (Moved{0, 0}));
}

}  // namespace
}  // namespace linerate
