// The placements of state on a mesh of ranks, the buckets of gradients, and the bytes and shares
// that follow from them.
#include "trainers/engine/plan.h"

#include "trainers/engine/accounting.h"
#include "unit/trainers/engine/tiny_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
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
    const auto table = table_of(tiny_of(row.stage, 2), {.data_nranks = 6});
    const auto& placements = table.placements;

    EXPECT_EQ(placements.parameters, (Placements{row.parameters, replicate()}));
    EXPECT_EQ(placements.gradients, (Placements{row.gradients, replicate()}));
    EXPECT_EQ(placements.optimizer, (Placements{row.optimizer, replicate()}));
    EXPECT_EQ(table.mesh.axes()[kShardAxis].size, row.stage == Stage::none ? 1u : 2u);
    EXPECT_EQ(table.mesh.nranks(), 6u);
  }
}

// Parameters that are reduced together, and their elements.
struct Together {
  std::vector<std::size_t> parameters{};  // from the last to the first
  std::size_t count = 0;
};

// In the reverse order of execution.
std::vector<Together> single_parameters(const ParameterTable& table) {
  std::vector<Together> all;
  for (auto i = table.parameters.size(); i-- > 0;)
    all.push_back({{i}, table.parameters[i].count()});
  return all;
}
std::vector<Together> whole_units(const ParameterTable& table) {
  std::vector<Together> all(table.units());
  for (auto& one : single_parameters(table)) {
    const auto i = one.parameters.front();
    auto& unit = all[all.size() - 1 - table.parameters[i].unit];
    unit.parameters.push_back(i);
    unit.count += one.count;
  }
  return all;
}

// PyTorch's rule (compute_bucket_assignment_by_size in reducer.cpp): what comes next joins the
// bucket, which is full once it has reached its cap: the first one's, then that of all others.
std::vector<std::vector<std::size_t>> filled(const std::vector<Together>& all,
                                             const BucketCaps& caps, std::size_t element_bytes) {
  std::vector<std::vector<std::size_t>> buckets;
  std::size_t bytes = 0, cap = 0;
  for (const auto& one : all) {
    if (bytes >= cap) {
      cap = buckets.empty() ? caps.first_bytes : caps.bytes;
      buckets.emplace_back();
      bytes = 0;
    }
    auto& bucket = buckets.back();
    bucket.insert(bucket.end(), one.parameters.begin(), one.parameters.end());
    bytes += one.count * element_bytes;
  }
  return buckets;
}

// Of d12, whose units need no padding.
TrainConfig bucketed(Stage stage, std::size_t cap_mb = 25) {
  TrainConfig config{.model = *model_named("d12"), .stage = stage};
  config.buckets.bytes = cap_mb << 20;
  return config;
}

std::vector<std::vector<std::size_t>> bucketed_parameters(const TrainConfig& config) {
  const auto table = table_of(config, {.data_nranks = 2});
  const auto layout = flat_layout(table, 2);
  std::vector<std::vector<std::size_t>> buckets;
  for (const auto& bucket : plan_of(config, table, layout, 1).buckets) {
    auto& own = buckets.emplace_back(bucket.parameters);
    std::ranges::sort(own, std::greater<>());
  }
  return buckets;
}

TEST(BucketCaps, AreThoseOfPyTorch) {
  EXPECT_EQ(BucketCaps{}.first_bytes, 1u << 20);
  EXPECT_EQ(BucketCaps{}.bytes, 25u << 20);
}

TEST(PlannedBuckets, OfDdpAreParametersUpToTheCapsOfPyTorch) {
  for (const std::size_t cap_mb : {1, 5, 25, 100}) {
    const auto config = bucketed(Stage::none, cap_mb);
    const auto parameters = single_parameters(parameters_of(config.model));

    const auto buckets = bucketed_parameters(config);

    EXPECT_EQ(buckets, filled(parameters, {.bytes = cap_mb << 20}, 4)) << cap_mb;
    EXPECT_GT(buckets.size(), 3u) << cap_mb;
  }
}

TEST(PlannedBuckets, OfDdpHoldTwiceAsManyParametersOf16Bits) {
  auto config = bucketed(Stage::none);
  config.type = DataType::bfloat16;
  const auto parameters = single_parameters(parameters_of(config.model));

  EXPECT_EQ(bucketed_parameters(config), filled(parameters, {}, 2));
}

// A block has 27 MiB.
TEST(PlannedBuckets, OfWholeUnitsReachTheSameCaps) {
  for (const std::size_t cap_mb : {5, 25, 50, 100}) {
    const BucketCaps caps{.bytes = cap_mb << 20};
    const auto units = whole_units(parameters_of(*model_named("d12")));
    auto deterministic = bucketed(Stage::none, cap_mb);
    deterministic.deterministic = true;
    auto scattered = bucketed(Stage::none, cap_mb);
    scattered.sync = Sync::reduce_scatter;

    for (const auto& config : {deterministic, scattered, bucketed(Stage::optimizer, cap_mb),
                               bucketed(Stage::gradients, cap_mb)})
      EXPECT_EQ(bucketed_parameters(config), filled(units, caps, 4))
          << cap_mb << " MiB, stage " << static_cast<int>(config.stage);
  }
}

TEST(PlannedBuckets, OfShardedParametersAreTheUnitsWhateverTheCaps) {
  for (const std::size_t cap_mb : {5, 100}) {
    std::vector<std::vector<std::size_t>> units;
    for (const auto& unit : whole_units(parameters_of(*model_named("d12"))))
      units.push_back(unit.parameters);

    EXPECT_EQ(bucketed_parameters(bucketed(Stage::parameters, cap_mb)), units) << cap_mb;
  }
}

TEST(PlannedBuckets, HoldEachParameterOnceFromTheLastToTheFirst) {
  const auto count = parameters_of(*model_named("d12")).parameters.size();
  std::vector<std::size_t> expected(count);
  std::iota(expected.rbegin(), expected.rend(), 0);
  for (const auto stage : kEveryStage) {
    std::vector<std::size_t> order;
    for (const auto& bucket : bucketed_parameters(bucketed(stage)))
      order.insert(order.end(), bucket.begin(), bucket.end());

    EXPECT_EQ(order, expected) << "stage " << static_cast<int>(stage);
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
      const auto table = table_of(config, {.data_nranks = kRanks});
      const auto layout = flat_layout(table, kRanks);
      for (int rank = 0; rank < kRanks; ++rank) {
        const auto plan = plan_of(config, table, layout, rank);
        const auto state =
            account_of(config, {&plan}, {.data_rank = rank, .data_nranks = kRanks}).state;
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
  auto table = table_of(config, {.data_nranks = 4});
  table.placements.parameters[kShardAxis] = replicate();
  const auto layout = flat_layout(table, 4);
  const auto plan = plan_of(config, table, layout, 1);
  const auto account = account_of(config, {&plan}, {.data_rank = 1, .data_nranks = 4});

  const auto zero_2 = tiny_of(Stage::gradients);
  const auto expected_table = table_of(zero_2, {.data_nranks = 4});
  const auto expected_plan = plan_of(zero_2, expected_table, layout, 1);
  const auto expected = account_of(zero_2, {&expected_plan}, {.data_rank = 1, .data_nranks = 4});

  EXPECT_EQ(account.state, expected.state);
  EXPECT_EQ(account.sent, expected.sent);
  EXPECT_EQ(account.live_bytes, 0u);
}

TEST(ContextParallelRanks, HoldTheActivationsThatTheClosedFormSays) {
  for (const auto method : {ContextMethod::ring, ContextMethod::ulysses})
    for (const auto recompute : {Recompute::none, Recompute::selective}) {
      auto config = tiny_training();
      config.model.length = config.data.length = 16;
      config.recompute = recompute;
      config.cp = 2;
      config.cp_method = method;
      config.steps = 1;
      const auto run = run_tiny(config, 2);
      const auto position = position_of(config, 0, 2);
      const auto chunks = chunks_of(config, position);
      const auto options = model_options_of(config, position, chunks.front()->place(), {});
      const auto inputs = 2 * options.sequences * 8 * sizeof(std::int32_t);
      for (const auto& rank : run.ranks)
        EXPECT_EQ(
            rank.peaks[static_cast<std::size_t>(Category::activation)],
            activation_bytes(model_of_chunk(config, position, *chunks.front()), options) + inputs);
    }
}

TEST(SequenceParallelRanks, HoldTheActivationsThatTheClosedFormSays) {
  for (const bool llama : {false, true})
    for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      auto config = tiny_training(llama);
      config.model.length = config.data.length = 16;
      config.model.dropout = llama ? 0.1 : 0;
      config.recompute = recompute;
      config.tp = 2;
      config.steps = 1;
      const auto bytes = [&] {
        const auto run = run_tiny(config, 2);
        const auto position = position_of(config, 0, 2);
        const auto chunks = chunks_of(config, position);
        const auto options = model_options_of(config, position, chunks.front()->place(), {});
        const auto model =
            activation_bytes(model_of_chunk(config, position, *chunks.front()), options);
        const auto inputs = 2 * options.sequences * 16 * sizeof(std::int32_t);
        EXPECT_EQ(run.ranks.front().peaks[static_cast<std::size_t>(Category::activation)],
                  model + inputs);
        return model;
      };
      const auto whole = bytes();
      config.sequence_parallel = true;
      EXPECT_LT(bytes(), whole);
    }
}

struct Refused {
  std::size_t cp = 1, tp = 1;
  int nranks = 1;
  ContextMethod method = ContextMethod::ring;
  bool deterministic = false;
  const char* why = nullptr;  // none: it is not
};

TEST(ContextParallelRanks, AreRefusedWhereTheyDoNotDivideWhatTheyShare) {
  auto config = tiny_training(true);  // 6 heads, 2 of keys and values
  config.model.length = 24;
  for (const auto& [cp, tp, nranks, method, deterministic, why] : std::initializer_list<Refused>{
           {3, 1, 6},
           {3, 1, 4, {}, false, "--cp 3 does not divide 4 ranks; choices: 1, 2, 4."},
           {5,
            1,
            5,
            {},
            false,
            "--cp 5 does not divide the 24 positions of a sequence; choices: 1, 2, 3, 4, 6, 8, 12, "
            "24."},
           {3,
            1,
            3,
            {},
            true,
            "--cp 3 does not divide the 24 positions of a sequence, or the 8 parts in which "
            "--deterministic adds them up; choices: 1, 2, 4, 8."},
           {2, 1, 2, ContextMethod::ulysses},
           {2, 2, 4, ContextMethod::ulysses, false,
            "--cp 2 does not divide the 24 positions of a sequence, or the 3 heads and 1 key and "
            "value heads that --cp-method ulysses exchanges for them; choices: 1."}}) {
    config.cp = cp;
    config.tp = tp;
    config.cp_method = method;
    config.deterministic = deterministic;
    EXPECT_EQ(mesh_refusal(config, nranks).value_or(""), why == nullptr ? "" : why);
  }
}

TEST(SequenceParallelRanks, AreRefusedWhereTheyDoNotDivideThePositionsOfARank) {
  auto config = tiny_training();  // 6 heads
  config.model.length = 24;
  config.sequence_parallel = true;
  EXPECT_EQ(
      mesh_refusal(config, 1).value_or(""),
      "--sequence-parallel splits positions among the ranks of --tp: give 2 of them or more.");
  config.tp = 3;
  EXPECT_EQ(mesh_refusal(config, 3), std::nullopt);
  config.cp = 4;
  EXPECT_EQ(mesh_refusal(config, 12), std::nullopt);
  config.cp = 8;
  EXPECT_EQ(mesh_refusal(config, 24), std::nullopt);
  config.cp = 12;
  EXPECT_EQ(mesh_refusal(config, 36).value_or(""),
            "--sequence-parallel: --tp 3 does not divide the 2 positions of a sequence that a rank "
            "has; choices: 2.");
  EXPECT_EQ(mesh_refusal(config, 3).value_or(""),
            "--cp 12 does not divide 1 data-parallel rank; choices: 1.");
}

TEST(PipelineSchedules, AreKnownByTheirNamesWithoutAPipelineToo) {
  auto config = tiny_training();
  config.pp_schedule = "2f2b";
  EXPECT_NE(mesh_refusal(config, 1).value_or("").find("'2f2b'"), std::string::npos);
}

TEST(ContextParallelRanks, HaveOneChunkOfASequenceWhereTwoWouldNotDivideIt) {
  EXPECT_TRUE(sequence_share(24, {.nranks = 4}, 0).split.zigzag);
  EXPECT_FALSE(sequence_share(12, {.nranks = 4}, 0).split.zigzag);
  EXPECT_TRUE(sequence_share(128, {.nranks = 4, .deterministic = true}, 0).split.zigzag);
  EXPECT_FALSE(sequence_share(128, {.nranks = 8, .deterministic = true}, 0).split.zigzag);
}

}  // namespace
}  // namespace linerate::trainers
