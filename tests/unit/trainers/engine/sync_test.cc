// Ways to add up a bucket: the same sum on all ranks, and the bytes of their closed forms.
#include "trainers/engine/sync.h"

#include "model/training_bytes.h"
#include "unit/trainers/engine/axis_fixture.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace linerate::trainers {
namespace {

// Several pieces on the way up a tree, the last one ragged.
constexpr std::size_t kPrime = 131'101;

// Small whole numbers, whose sums are exact in any order.
std::vector<float> gradients_of(int rank, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(rank) * 13) % 101);
  return values;
}

std::vector<float> sum_over(int nranks, std::size_t count) {
  std::vector<float> sum(count);
  for (int rank = 0; rank < nranks; ++rank) {
    const auto values = gradients_of(rank, count);
    std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

std::uint64_t accounted_bytes(Sync sync, std::size_t count, int rank, int nranks) {
  const std::vector<TrainingPart> parts{{.count = count}};
  const auto tree = place_in(sync, rank, nranks);
  return training_wire_bytes({.parts = parts,
                              .shards = static_cast<std::uint64_t>(nranks),
                              .tree = tree ? &*tree : nullptr})
      .total();
}

class EverySync : public testing::TestWithParam<Sync> {};

TEST_P(EverySync, YieldsTheSumOnAllRanksForItsBytes) {
  for (const int nranks : {1, 2, 3, 5, 8}) {
    SCOPED_TRACE(nranks);
    const auto n = static_cast<std::size_t>(nranks);
    const auto count = GetParam() == Sync::reduce_scatter ? kPrime / n * n : kPrime;
    const auto expected = sum_over(nranks, count);
    on_ranks(nranks, [&](RankTools& rank) {
      const auto gradients = block_of(rank, gradients_of(rank.axis.rank(), count));
      const auto sync = make_sync(GetParam(), rank.tools);

      sync->reduce({.end = count}, gradients.array(DataType::float32));
      rank.axis.stream().synchronize(Deadline::never());

      EXPECT_EQ(values_of(gradients), expected);
      std::uint64_t sent = 0, traced = 0;
      for (const auto& [tag, bytes] : rank.axis.comm().bytes()) sent += bytes;
      const auto calls = rank.axis.comm().take_calls();
      for (const auto& call : calls) traced += call.bytes;
      EXPECT_EQ(sent, accounted_bytes(GetParam(), count, rank.axis.rank(), nranks));
      EXPECT_EQ(traced, sent);
      EXPECT_EQ(calls.size(), GetParam() == Sync::all_reduce ? 1u : 2u);
    });
  }
}

// Those with a tree of ranks; the others add up shards (tree_exchange.h).
class SyncWithTree : public EverySync {};

// Leaves whose sum depends on the order: up any tree of ranks, it is that of one rank.
TEST_P(SyncWithTree, AddsUpLeavesInOneOrder) {
  ASSERT_TRUE(place_in(GetParam(), 0, 1));
  constexpr std::size_t kLeaves = 11, kCount = 64;
  const auto leaf_of = [](std::size_t leaf) {
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i)
      values[i] = 1.0F / static_cast<float>(1 + (i * 31 + leaf * 17) % 97);
    return values;
  };
  std::vector<float> first;
  for (const int nranks : {1, 2, 3, 5, 8, 13}) {
    SCOPED_TRACE(nranks);
    LeavesByRank by_rank;
    for (int rank = 0; rank < nranks; ++rank) {
      const auto at = [&](int r) {
        return kLeaves * static_cast<std::size_t>(r) / static_cast<std::size_t>(nranks);
      };
      auto& own = by_rank.emplace_back(at(rank + 1) - at(rank));
      std::iota(own.begin(), own.end(), at(rank));
    }
    std::vector<std::vector<float>> sums(static_cast<std::size_t>(nranks));
    on_ranks(nranks, [&](RankTools& rank) {
      const auto own = static_cast<std::size_t>(rank.axis.rank());
      TreeSum mine(kLeaves, kCount, DataType::float32);
      for (const auto leaf : by_rank[own])
        mine.add({0, leaf}, block_of(rank, leaf_of(leaf)), rank.tools.math, rank.tools.compute);
      std::vector<Array> nodes;
      for (const auto& [leaf, node] : mine.nodes())
        nodes.push_back(node.second.array(DataType::float32));
      const auto sum = block_of(rank, std::vector<float>(kCount));

      RootedTreeSum tree(GetParam(), by_rank, kLeaves, rank.tools);
      tree.up(nodes, sum.view());
      tree.down(sum.view());
      rank.axis.stream().synchronize(Deadline::never());

      sums[own] = values_of(sum);
    });
    if (first.empty()) first = sums.front();
    for (const auto& sum : sums) EXPECT_EQ(sum, first);
  }
}

INSTANTIATE_TEST_SUITE_P(Syncs, EverySync,
                         testing::Values(Sync::all_reduce, Sync::reduce_scatter, Sync::tree,
                                         Sync::parameter_server));
INSTANTIATE_TEST_SUITE_P(Syncs, SyncWithTree, testing::Values(Sync::tree, Sync::parameter_server));

}  // namespace
}  // namespace linerate::trainers
