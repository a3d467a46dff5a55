// The least that each collective moves through a shared memory, in closed forms.
#include "model/memory_traffic.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::size_t kCount = 100;  // of the count column

MemoryTraffic traffic(std::string_view name, int nranks,
                      Placement placement = Placement::out_of_place, int root = 0) {
  MemoryTraffic all;
  for (const auto& of_rank : memory_traffic({.collective = find_collective(name),
                             .root = root,
                             .placement = placement,
                             .sizing = {.count = kCount, .nranks = nranks}}))
    all += of_rank;
  return all;
}

TEST(MemoryTraffic, OfReductionsIsEveryInputAndEveryResult) {
  EXPECT_EQ(traffic("all_reduce", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
  EXPECT_EQ(traffic("reduce", 4), (MemoryTraffic{4 * kCount, kCount}));
  // 100 elements a rank of a result that is spread over 4 ranks.
  EXPECT_EQ(traffic("reduce_scatter", 4), (MemoryTraffic{16 * kCount, 4 * kCount}));
}

TEST(MemoryTraffic, OfReductionsIsNoLessInPlace) {
  for (const auto* name : {"all_reduce", "reduce", "reduce_scatter"}) {
    const auto in_place = traffic(name, 3, Placement::in_place), other = traffic(name, 3);
    EXPECT_EQ(in_place.read, other.read) << name;
    EXPECT_EQ(in_place.written, other.written) << name;
  }
}

// Results of reductions lie over inputs of the same rank, which are part of them.
TEST(MemoryTraffic, OfReductionsInPlaceIsUpdated) {
  for (const auto* name : {"all_reduce", "reduce", "reduce_scatter"}) {
    const auto in_place = traffic(name, 3, Placement::in_place);
    EXPECT_EQ(in_place.updated, in_place.written) << name;
    EXPECT_EQ(in_place.exchanged, 0U) << name;
    EXPECT_EQ(traffic(name, 3).updated, 0U) << name;
  }
}

// Other ranks' parts come to where nothing lay that anybody needs.
TEST(MemoryTraffic, OfCopiesInPlaceOverwritesNothing) {
  for (const auto* name : {"all_gather", "broadcast", "gather", "scatter"}) {
    const auto in_place = traffic(name, 4, Placement::in_place);
    EXPECT_EQ(in_place.updated, 0U) << name;
    EXPECT_EQ(in_place.exchanged, 0U) << name;
    EXPECT_GT(in_place.written, 0U) << name;
  }
}

TEST(MemoryTraffic, InPlaceIsTheSameForEachRoot) {
  for (const auto* name : {"reduce", "broadcast", "gather", "scatter"})
    for (const int root : {1, 3})
      EXPECT_EQ(traffic(name, 4, Placement::in_place, root), traffic(name, 4, Placement::in_place))
          << name << root;
}

TEST(MemoryTraffic, OfHypercubesInPlaceIsThatOfGathering) {
  EXPECT_EQ(traffic("hypercube", 4, Placement::in_place),
            traffic("all_gather", 4, Placement::in_place));
}

// What a rank gets lies where it held what another one must get.
TEST(MemoryTraffic, OfExchangesInPlaceMustBeReadBefore) {
  const auto all_to_all = traffic("all_to_all", 4, Placement::in_place);
  EXPECT_EQ(all_to_all, (MemoryTraffic{12 * kCount, 12 * kCount, 12 * kCount, 12 * kCount}));
  const auto sendrecv = traffic("sendrecv", 4, Placement::in_place);
  EXPECT_EQ(sendrecv, (MemoryTraffic{4 * kCount, 4 * kCount, 4 * kCount, 4 * kCount}));
}

// An input that several ranks get is read once: it stays in a cache.
TEST(MemoryTraffic, OfCopiesIsReadOnce) {
  EXPECT_EQ(traffic("all_gather", 4), (MemoryTraffic{4 * kCount, 16 * kCount}));
  EXPECT_EQ(traffic("broadcast", 4), (MemoryTraffic{kCount, 4 * kCount}));
  EXPECT_EQ(traffic("all_to_all", 4), (MemoryTraffic{16 * kCount, 16 * kCount}));
  EXPECT_EQ(traffic("gather", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
  EXPECT_EQ(traffic("scatter", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
  EXPECT_EQ(traffic("sendrecv", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
}

TEST(MemoryTraffic, InPlaceLeavesOutWhatLiesThereAlready) {
  EXPECT_EQ(traffic("all_gather", 4, Placement::in_place),
            (MemoryTraffic{4 * kCount, 12 * kCount}));
  EXPECT_EQ(traffic("broadcast", 4, Placement::in_place), (MemoryTraffic{kCount, 3 * kCount}));
  EXPECT_EQ(traffic("scatter", 4, Placement::in_place), (MemoryTraffic{3 * kCount, 3 * kCount}));
}

TEST(MemoryTraffic, OfOneRankAloneIsItsCopy) {
  EXPECT_EQ(traffic("all_reduce", 1), (MemoryTraffic{kCount, kCount}));
  EXPECT_EQ(traffic("broadcast", 1, Placement::in_place), (MemoryTraffic{0, 0}));
}

}  // namespace
}  // namespace linerate
