// Closed forms beside the ZeRO paper's figures, rings that are counted, and cases by hand.
#include "model/training_bytes.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace linerate {
namespace {

using Parts = std::vector<TrainingPart>;

constexpr TrainingTypes kMixed{.parameter = 2, .gradient = 2, .master = 4, .moments = 8};

// What each rank of a ring sends in a reduce-scatter, by doing it; and each shard's sum is right.
std::uint64_t sent_by_a_ring(std::uint64_t count, std::uint64_t nranks) {
  const auto padded = padded_count(count, nranks), shard = padded / nranks;
  std::vector<std::vector<int>> data(nranks, std::vector<int>(padded));
  for (std::uint64_t rank = 0; rank < nranks; ++rank)
    std::iota(data[rank].begin(), data[rank].begin() + static_cast<std::ptrdiff_t>(count),
              static_cast<int>(rank));
  std::uint64_t sent = 0;
  for (std::uint64_t step = 0; step + 1 < nranks; ++step)
    for (std::uint64_t rank = 0; rank < nranks; ++rank) {
      const auto part = (rank + 2 * nranks - 1 - step) % nranks;
      auto& next = data[(rank + 1) % nranks];
      for (auto i = part * shard; i < (part + 1) * shard; ++i) next[i] += data[rank][i];
      if (rank == 0) sent += shard;
    }
  for (std::uint64_t i = 0; i < count; ++i)
    EXPECT_EQ(data[i / shard][i], static_cast<int>(nranks * i + nranks * (nranks - 1) / 2));
  return sent;
}

TEST(TrainingBytes, OfACollectiveAreThoseOfARing) {
  for (std::uint64_t nranks = 1; nranks <= 8; ++nranks)
    for (const std::uint64_t count : {1, 7, 8, 61, 64}) {
      const auto sent = sent_by_a_ring(count, nranks);

      EXPECT_EQ(reduce_scatter_sends(count, nranks), sent);
      EXPECT_EQ(all_gather_sends(count, nranks), sent);
      EXPECT_EQ(all_reduce_sends(count, nranks), 2 * sent);
    }
}

// Of 1000 + 24 elements on 8 ranks: 7 of 8 shards, 896 elements, in each phase.
class Stages : public testing::Test {
 protected:
  TrainingWireBytes wire(int stage, std::uint64_t micro_batches = 1) const {
    return training_wire_bytes({.parts = parts_,
                                .types = kMixed,
                                .sharded = zero_stage(stage),
                                .shards = 8,
                                .micro_batches = micro_batches});
  }
  const Parts parts_{{.count = 1000}, {.count = 24}};
  const std::uint64_t phase_ = 896 * 2;  // bytes
};

TEST_F(Stages, SendTheirShareOfEachPhase) {
  EXPECT_EQ(wire(0), (TrainingWireBytes{.gradient_sums = phase_, .gradient_results = phase_}));
  EXPECT_EQ(wire(1), (TrainingWireBytes{.gradient_sums = phase_, .parameters = phase_}));
  EXPECT_EQ(wire(2), (TrainingWireBytes{.gradient_sums = phase_, .parameters = phase_}));
  EXPECT_EQ(wire(3), (TrainingWireBytes{.gradient_sums = phase_, .parameters = 2 * phase_}));
}

// Rajbhandari et al. 2020, section 7: 1, 1 and 1.5 times the bytes of data parallelism.
TEST_F(Stages, SendWhatZeroSays) {
  EXPECT_EQ(wire(1).total(), wire(0).total());
  EXPECT_EQ(wire(2).total(), wire(0).total());
  EXPECT_EQ(2 * wire(3).total(), 3 * wire(0).total());
}

TEST_F(Stages, SendMoreWithMicroBatchesFromTheSecondOn) {
  EXPECT_EQ(wire(0, 4), wire(0));
  EXPECT_EQ(wire(1, 4), wire(1));
  EXPECT_EQ(wire(2, 4), (TrainingWireBytes{.gradient_sums = 4 * phase_, .parameters = phase_}));
  EXPECT_EQ(wire(3, 4), (TrainingWireBytes{.gradient_sums = 4 * phase_, .parameters = 8 * phase_}));
}

TEST_F(Stages, SendAtTheWidthOfEachType) {
  const TrainingTypes types{.parameter = 2, .gradient = 4};

  const auto bytes =
      training_wire_bytes({.parts = parts_, .types = types, .sharded = zero_stage(3), .shards = 8});

  EXPECT_EQ(bytes, (TrainingWireBytes{.gradient_sums = 896 * 4, .parameters = 896 * 2 * 2}));
}

TEST(TrainingBytes, OfPartsThatStayGatheredAreFewer) {
  const Parts parts{{.count = 80, .gathers = 1}, {.count = 800}, {.count = 8, .gathers = 1}};

  const auto bytes = training_wire_bytes({.parts = parts, .sharded = zero_stage(3), .shards = 4});

  EXPECT_EQ(bytes.parameters, 4 * 3 * (20 + 2 * 200 + 2u));
}

TEST(TrainingBytes, IncludePadding) {
  const Parts parts{{.count = 7}, {.count = 1}};  // shards of 2 and of 1 on 4 ranks

  const auto bytes = training_wire_bytes({.parts = parts, .sharded = zero_stage(2), .shards = 4});
  const auto state = training_state_bytes({.parts = parts, .sharded = zero_stage(2), .shards = 4});

  EXPECT_EQ(bytes, (TrainingWireBytes{.gradient_sums = 4 * 9, .parameters = 4 * 9}));
  EXPECT_EQ(state, (TrainingStateBytes{.parameters = 4 * 12, .gradients = 4 * 3, .optimizer = 24}));
}

TEST(TrainingBytes, AreNoneOnOneRank) {
  const Parts parts{{.count = 7}};
  for (int stage = 0; stage <= 3; ++stage)
    EXPECT_EQ(training_wire_bytes({.parts = parts, .sharded = zero_stage(stage)}),
              TrainingWireBytes{});
}

// Between 2 groups of 4 ranks: each rank reduces its shard with one other.
TEST(TrainingBytes, OfHybridShardingReduceShardsOnceAStep) {
  const Parts parts{{.count = 1000}, {.count = 24}};
  TrainingLayout layout{
      .parts = parts, .sharded = zero_stage(3), .shards = 4, .replicas = 2, .micro_batches = 3};

  const auto bytes = training_wire_bytes(layout);
  layout.replicas = 1;
  const auto within = training_wire_bytes(layout);

  EXPECT_EQ(bytes.replica_sums, 4 * 128u);  // (r - 1) / r of the shard
  EXPECT_EQ(bytes.replica_results, 4 * 128u);
  EXPECT_EQ(bytes.gradient_sums, within.gradient_sums);
  EXPECT_EQ(bytes.parameters, within.parameters);
}

// Two subtrees of the rank's own leaves go out instead of their sum.
TEST(TrainingBytes, OfAFixedTreeAreThoseOfItsSubtrees) {
  const Parts parts{{.count = 64}};

  const auto bytes = training_wire_bytes(
      {.parts = parts, .sharded = zero_stage(0), .shards = 4, .partial_sums = 2});

  EXPECT_EQ(bytes.gradient_sums, 4 * 2 * 48u);
  EXPECT_EQ(bytes.gradient_results, 4 * 48u);
}

// Each rank but the root sends its sum up once, and all results come down: as many bytes as around
// a ring, but on other ranks.
TEST(TrainingBytes, UpATreeAreThoseOfARingOverAllRanks) {
  const Parts parts{{.count = 61}, {.count = 3}};
  for (const auto place_of : {binary_tree_place, star_place})
    for (int nranks = 1; nranks <= 9; ++nranks) {
      TrainingWireBytes all;
      for (int rank = 0; rank < nranks; ++rank) {
        const auto tree = place_of(rank, nranks);
        const auto bytes = training_wire_bytes({.parts = parts, .tree = &tree});
        all.gradient_sums += bytes.gradient_sums;
        all.gradient_results += bytes.gradient_results;
      }
      const auto others = static_cast<std::uint64_t>(nranks - 1);
      EXPECT_EQ(all.gradient_sums, others * 64 * 4);
      EXPECT_EQ(all.gradient_results, others * 64 * 4);
    }
  const auto server = star_place(0, 9);
  EXPECT_EQ(training_wire_bytes({.parts = parts, .tree = &server}).total(), 8 * 64 * 4u);
}

TEST(TrainingBytes, OfTopKAreIndicesAndValues) {
  EXPECT_EQ(top_k_count(1000, 0.01), 10u);
  EXPECT_EQ(top_k_count(1001, 0.01), 11u);
  EXPECT_EQ(top_k_count(3, 0.01), 1u);
  EXPECT_EQ(top_k_count(3, 1), 3u);
  EXPECT_EQ(top_k_bytes(10, 4), 80u);
  EXPECT_EQ(top_k_bytes(11, 4), 96u);
  EXPECT_EQ(top_k_bytes(11, 8), 48u + 88u);
}

// A group's leaves are three subtrees, which each of its shards hands to the other groups.
TEST(TrainingBytes, OfAFixedTreeBetweenReplicasAreThoseOfTheGroupsSubtrees) {
  const Parts parts{{.count = 64}};

  const auto bytes = training_wire_bytes({.parts = parts,
                                          .sharded = zero_stage(2),
                                          .shards = 2,
                                          .replicas = 4,
                                          .partial_sums = 1,
                                          .replica_partial_sums = 3});

  EXPECT_EQ(bytes.replica_sums, 4 * 3 * 24u);
  EXPECT_EQ(bytes.replica_results, 4 * 24u);
}

// Rajbhandari et al. 2020, figure 1: 7.5 billion parameters on 64 ranks, mixed precision.
TEST(TrainingState, IsWhatZeroSays) {
  const Parts parts{{.count = 7'500'000'000}};
  const auto gigabytes = [&](int stage) {
    const auto state = training_state_bytes(
        {.parts = parts, .types = kMixed, .sharded = zero_stage(stage), .shards = 64});
    return static_cast<double>(state.total()) * 1e-9;
  };

  EXPECT_NEAR(gigabytes(0), 120, 0.05);
  EXPECT_NEAR(gigabytes(1), 31.4, 0.05);
  EXPECT_NEAR(gigabytes(2), 16.6, 0.05);
  EXPECT_NEAR(gigabytes(3), 1.9, 0.05);
}

// Of float32, whose parameters are stepped themselves: 16 bytes, 8 + 8 / d, 4 + 12 / d, 16 / d.
TEST(TrainingState, IsOfTheCategoriesThatTheStageShards) {
  const Parts parts{{.count = 800}, {.count = 160}};
  const auto state = [&](int stage) {
    return training_state_bytes({.parts = parts, .sharded = zero_stage(stage), .shards = 8});
  };

  EXPECT_EQ(state(0), (TrainingStateBytes{3840, 3840, 7680}));
  EXPECT_EQ(state(1), (TrainingStateBytes{3840, 3840, 960}));
  EXPECT_EQ(state(2), (TrainingStateBytes{3840, 480, 960}));
  EXPECT_EQ(state(3), (TrainingStateBytes{480, 480, 960}));
}

TEST(TrainingState, OfTheOptimizerLiesInAFileWhereItIsOffloaded) {
  const Parts parts{{.count = 800}};

  const auto state = training_state_bytes({.parts = parts,
                                           .types = kMixed,
                                           .sharded = zero_stage(3),
                                           .shards = 8,
                                           .offloads_optimizer = true});

  EXPECT_EQ(state, (TrainingStateBytes{.parameters = 200, .gradients = 200, .offloaded = 1200}));
  EXPECT_EQ(state.total(), 400u);
}

// Embeddings and norm stay; blocks of 100, 200, 300 elements.
class LiveParts : public testing::Test {
 protected:
  std::uint64_t elements(std::size_t ahead, std::uint64_t most = 0) const {
    const GatherWindow window{.ahead = ahead, .most = most};
    return training_live_bytes({.parts = parts_, .sharded = zero_stage(3), .shards = 2}, window) /
           4;
  }
  Parts parts_{{.count = 50, .gathers = 1},
               {.count = 100},
               {.count = 200},
               {.count = 300},
               {.count = 4, .gathers = 1}};
};

// The norm is not there yet in forward, and no more in backward.
TEST_F(LiveParts, AreTheOneInUse) { EXPECT_EQ(elements(0), 50 + 300u); }

TEST_F(LiveParts, AreTheNextOnesToo) {
  EXPECT_EQ(elements(1), 50 + 200 + 300u);
  EXPECT_EQ(elements(2), 50 + 100 + 200 + 300u);
  EXPECT_EQ(elements(100), 654u);
}

TEST_F(LiveParts, AreTheLastOneWhileBackwardBegins) {
  parts_.back().count = 240;

  EXPECT_EQ(elements(1), 50 + 240 + 300u);
}

TEST_F(LiveParts, AreAllWhereTheyStay) {
  for (auto& part : parts_) part.gathers = 1;

  EXPECT_EQ(elements(0), 654u);
}

// One element less than the largest window that still fits leaves one part out of it.
TEST_F(LiveParts, AreGatheredAheadUpToALimit) {
  EXPECT_EQ(elements(100, 654), 654u);
  EXPECT_EQ(elements(100, 653), 50 + 100 + 200 + 300u);
  EXPECT_EQ(elements(100, 649), 50 + 200 + 300 + 4u);
  EXPECT_EQ(elements(2, 553), 50 + 200 + 300u);
  EXPECT_EQ(elements(1, 549), 50 + 300 + 4u);
}

TEST_F(LiveParts, ExceedALimitByTheOneInUse) {
  EXPECT_EQ(elements(100, 353), 50 + 300u);
  EXPECT_EQ(elements(100, 1), 50 + 300u);
}

TEST_F(LiveParts, ArePadded) {
  parts_ = {{.count = 3}, {.count = 1}};

  EXPECT_EQ(elements(0), 4u);
}

}  // namespace
}  // namespace linerate
