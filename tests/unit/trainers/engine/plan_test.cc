// The placements of state on a mesh of ranks, and the bytes and shares that follow from them.
#include "trainers/engine/plan.h"

#include "trainers/engine/accounting.h"
#include "unit/trainers/engine/tiny_training.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate::trainers {
namespace {

struct StagePlacements {
  Stage stage;
  Placement parameters, gradients, optimizer;  // along the shard axis
};

constexpr StagePlacements kStagePlacements[] = {
    {Stage::none, replicate(), replicate(), replicate()},
    {Stage::optimizer, replicate(), partial(), shard(0)},
    {Stage::gradients, replicate(), shard(0), shard(0)},
    {Stage::parameters, shard(0), shard(0), shard(0)}};

TrainConfig tiny_of(Stage stage, int shard_size = 0) {
  auto config = tiny_training();
  config.stage = stage;
  config.shard_size = shard_size;
  return config;
}

TEST(TableOf, PlacesStateAsTheStageSays) {
  for (const auto& row : kStagePlacements) {
    const auto table = table_of(tiny_of(row.stage, 2), 6);
    const auto& placements = table.placements;

    EXPECT_EQ(placements.parameters, (Placements{row.parameters, replicate()}));
    EXPECT_EQ(placements.gradients, (Placements{row.gradients, replicate()}));
    EXPECT_EQ(placements.optimizer, (Placements{row.optimizer, replicate()}));
    EXPECT_EQ(table.mesh.axes()[kShardAxis].size, row.stage == Stage::none ? 1u : 2u);
    EXPECT_EQ(table.mesh.nranks(), 6u);
  }
}

// What a rank holds of all buckets, when they are placed so.
std::uint64_t elements_of(const GradientPlan& plan, const Placements& placements,
                          std::size_t rank) {
  std::uint64_t count = 0;
  for (const auto& bucket : plan.buckets)
    count += box_of({.shape = {bucket.count()}, .placements = placements}, plan.table.mesh, rank)
                 .count();
  return count;
}

// Buckets are whole units: of stage 0 with --deterministic.
TEST(Account, IsOfThePartsThatThePlacementsLeaveARank) {
  constexpr int kRanks = 6;
  for (const auto& row : kStagePlacements)
    for (const int shard_size : {0, 2}) {
      auto config = tiny_of(row.stage, shard_size);
      config.deterministic = true;
      const auto table = table_of(config, kRanks);
      const auto layout = flat_layout(table, kRanks);
      for (int rank = 0; rank < kRanks; ++rank) {
        const auto plan = plan_of(config, table, layout, rank);
        const auto state = account_of(config, plan, rank, kRanks).state;
        const auto held = [&](const Placements& placements) {
          return elements_of(plan, placements, static_cast<std::size_t>(rank));
        };

        EXPECT_EQ(state.parameters, 4 * held(table.placements.parameters));
        EXPECT_EQ(state.gradients, 4 * held(table.placements.gradients));
        EXPECT_EQ(state.optimizer, 8 * held(table.placements.optimizer));
        EXPECT_EQ(count_of(plan.owned), held(table.placements.optimizer));
      }
    }
}

// Another placement of the same ranks and the same stage: what follows reads the table alone.
TEST(Account, FollowsTheTable) {
  const auto config = tiny_of(Stage::parameters);
  auto table = table_of(config, 4);
  table.placements.parameters[kShardAxis] = replicate();
  const auto layout = flat_layout(table, 4);
  const auto account = account_of(config, plan_of(config, table, layout, 1), 1, 4);

  const auto zero_2 = tiny_of(Stage::gradients);
  const auto expected_table = table_of(zero_2, 4);
  const auto expected = account_of(zero_2, plan_of(zero_2, expected_table, layout, 1), 1, 4);

  EXPECT_EQ(account.state, expected.state);
  EXPECT_EQ(account.sent, expected.sent);
  EXPECT_EQ(account.live_bytes, 0u);
}

}  // namespace
}  // namespace linerate::trainers
