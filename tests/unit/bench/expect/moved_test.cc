// The least that each collective moves through a shared memory, in closed forms.
#include "bench/expect/moved.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::size_t kCount = 100;  // of the count column

Moved moved(std::string_view name, int nranks, Placement placement = Placement::out_of_place,
            int root = 0) {
  Moved all;
  for (const auto& of_rank :
       moved_by_rank(*find_collective(name), {.count = kCount, .nranks = nranks}, root, placement))
    all += of_rank;
  return all;
}

TEST(DataMoved, ByReductionsIsEveryInputAndEveryResult) {
  EXPECT_EQ(moved("all_reduce", 4), (Moved{4 * kCount, 4 * kCount}));
  EXPECT_EQ(moved("reduce", 4), (Moved{4 * kCount, kCount}));
  // 100 elements a rank of a result that is spread over 4 ranks.
  EXPECT_EQ(moved("reduce_scatter", 4), (Moved{16 * kCount, 4 * kCount}));
}

TEST(DataMoved, ByReductionsIsNoLessInPlace) {
  for (const auto* name : {"all_reduce", "reduce", "reduce_scatter"}) {
    const auto in_place = moved(name, 3, Placement::in_place), other = moved(name, 3);
    EXPECT_EQ(in_place.read, other.read) << name;
    EXPECT_EQ(in_place.written, other.written) << name;
  }
}

// Results of reductions lie over inputs of the same rank, which are part of them.
TEST(DataMoved, ByReductionsInPlaceIsUpdated) {
  for (const auto* name : {"all_reduce", "reduce", "reduce_scatter"}) {
    const auto in_place = moved(name, 3, Placement::in_place);
    EXPECT_EQ(in_place.updated, in_place.written) << name;
    EXPECT_EQ(in_place.exchanged, 0U) << name;
    EXPECT_EQ(moved(name, 3).updated, 0U) << name;
  }
}

// Other ranks' parts come to where nothing lay that anybody needs.
TEST(DataMoved, ByCopiesInPlaceOverwritesNothing) {
  for (const auto* name : {"all_gather", "broadcast", "gather", "scatter"}) {
    const auto in_place = moved(name, 4, Placement::in_place);
    EXPECT_EQ(in_place.updated, 0U) << name;
    EXPECT_EQ(in_place.exchanged, 0U) << name;
    EXPECT_GT(in_place.written, 0U) << name;
  }
}

TEST(DataMoved, InPlaceIsTheSameForEachRoot) {
  for (const auto* name : {"reduce", "broadcast", "gather", "scatter"})
    for (const int root : {1, 3})
      EXPECT_EQ(moved(name, 4, Placement::in_place, root), moved(name, 4, Placement::in_place))
          << name << root;
}

TEST(DataMoved, ByHypercubesInPlaceIsThatOfGathering) {
  EXPECT_EQ(moved("hypercube", 4, Placement::in_place),
            moved("all_gather", 4, Placement::in_place));
}

// What a rank gets lies where it held what another one must get.
TEST(DataMoved, ByExchangesInPlaceMustBeReadBefore) {
  const auto all_to_all = moved("all_to_all", 4, Placement::in_place);
  EXPECT_EQ(all_to_all, (Moved{12 * kCount, 12 * kCount, 12 * kCount, 12 * kCount}));
  const auto sendrecv = moved("sendrecv", 4, Placement::in_place);
  EXPECT_EQ(sendrecv, (Moved{4 * kCount, 4 * kCount, 4 * kCount, 4 * kCount}));
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
