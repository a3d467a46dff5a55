// The same training on any layout: losses and parameters have equal bits in canonical mode.
#include "support/sanitized.h"
#include "unit/trainers/engine/tiny_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <ostream>
#include <utility>

namespace linerate::trainers {
namespace {

struct RankLayout {
  int nranks = 1;
  Stage stage = Stage::none;
  std::uint64_t micro_batch = 1;
  Overlap overlap = Overlap::on;
  int shard_size = 0;
  Sync sync = Sync::all_reduce;
  std::size_t tp = 1, cp = 1, pp = 1;
  ContextMethod method = ContextMethod::ring;
  bool sequence_parallel = false;
  const char* order = "tp-cp-dp-pp";
};

std::ostream& operator<<(std::ostream& out, const RankLayout& layout) {
  return out << layout.nranks << " ranks, stage " << static_cast<int>(layout.stage)
             << ", micro-batch " << layout.micro_batch << ", overlap "
             << static_cast<int>(layout.overlap) << ", groups of " << layout.shard_size << ", sync "
             << static_cast<int>(layout.sync) << ", tp " << layout.tp << ", cp " << layout.cp
             << ", pp " << layout.pp << " by method " << static_cast<int>(layout.method) << ", "
             << layout.order;
}

TrainConfig with(TrainConfig config, const RankLayout& layout) {
  config.stage = layout.stage;
  config.micro_batch = layout.micro_batch;
  config.overlap = layout.overlap;
  config.shard_size = layout.shard_size;
  config.sync = layout.sync;
  config.tp = layout.tp;
  config.cp = layout.cp;
  config.pp = layout.pp;
  config.cp_method = layout.method;
  config.sequence_parallel = layout.sequence_parallel;
  config.order.axes = layout.order;
  return config;
}

// An even and an odd number do where each takes its time.
std::vector<int> rank_counts() {
  return kSanitized ? std::vector{2, 3} : std::vector{1, 2, 3, 4, 8};
}

// Numbers of ranks, and of those that share each shard.
std::vector<std::pair<int, int>> hybrid_shards() {
  if (kSanitized) return {{4, 2}, {6, 3}};
  return {{3, 1}, {4, 2}, {6, 2}, {6, 3}, {8, 4}};
}

class Equality : public ::testing::TestWithParam<bool> {};

TEST_P(Equality, OfEveryLayoutIsToTheBit) {
  auto config = tiny_training(GetParam());
  config.deterministic = true;
  const auto one = run_tiny(with(config, {}), 1);
  ASSERT_LT(losses_of(one).back(), losses_of(one).front());
  for (const int nranks : rank_counts())
    for (const auto stage : kEveryStage) {
      const RankLayout layout{.nranks = nranks, .stage = stage};
      SCOPED_TRACE(::testing::PrintToString(layout));
      expect_the_same(run_tiny(with(config, layout), nranks), one);
    }
}

TEST_P(Equality, OfHybridShardingIsToTheBit) {
  auto config = tiny_training(GetParam());
  config.deterministic = true;
  const auto one = run_tiny(with(config, {}), 1);
  for (const auto& [nranks, shard_size] : hybrid_shards())
    for (const auto stage : {Stage::optimizer, Stage::gradients, Stage::parameters}) {
      const RankLayout layout{.nranks = nranks, .stage = stage, .shard_size = shard_size};
      SCOPED_TRACE(::testing::PrintToString(layout));
      expect_the_same(run_tiny(with(config, layout), nranks), one);
    }
}

// Of GPT-2's 6 heads and Llama's 2 key and value heads.
std::vector<std::size_t> tensor_sizes(bool llama) {
  if (llama || !every_layout()) return {2};
  return {2, 3, 6};
}

// With a length of 16 there are two chunks for each of two or four ranks, one for each of eight.
std::vector<RankLayout> context_layouts() {
  constexpr auto kUlysses = ContextMethod::ulysses;
  std::vector<RankLayout> layouts{{.nranks = 2, .cp = 2},
                                  {.nranks = 2, .cp = 2, .method = kUlysses},
                                  {.nranks = 8, .stage = Stage::parameters, .tp = 2, .cp = 2}};
  if (!every_layout()) return layouts;
  for (const RankLayout& more : std::initializer_list<RankLayout>{
           {.nranks = 4, .stage = Stage::optimizer, .cp = 4},
           {.nranks = 8, .cp = 8},
           {.nranks = 4, .cp = 2},
           {.nranks = 6, .sync = Sync::tree, .cp = 2},
           {.nranks = 4, .sync = Sync::parameter_server, .cp = 4},
           {.nranks = 4, .stage = Stage::optimizer, .cp = 2, .method = kUlysses},
           {.nranks = 6, .stage = Stage::gradients, .cp = 2},
           {.nranks = 8, .stage = Stage::parameters, .cp = 2},
           {.nranks = 8, .stage = Stage::gradients, .shard_size = 4, .cp = 2},
           {.nranks = 8, .stage = Stage::optimizer, .shard_size = 2, .cp = 4},
           {.nranks = 4, .tp = 2, .cp = 2},
           {.nranks = 4, .cp = 2, .pp = 2},
           {.nranks = 8, .stage = Stage::parameters, .cp = 2, .pp = 2, .method = kUlysses},
           {.nranks = 8, .stage = Stage::optimizer, .tp = 2, .cp = 2, .pp = 2},
           {.nranks = 8, .stage = Stage::gradients, .tp = 2, .cp = 2}})
    layouts.push_back(more);
  return layouts;
}

TEST_P(Equality, OfTensorParallelLayoutsIsToTheBit) {
  const TinyHooks in_fixed_blocks{
      .math = [](int) { return make_cpu_math({.fixed_blocks = true}); }};
  for (const auto recompute : {Recompute::none, Recompute::full}) {
    auto config = tiny_training(GetParam());
    config.deterministic = true;
    config.recompute = recompute;
    const auto one = run_tiny(with(config, {}), 1, in_fixed_blocks);
    for (const auto tp : tensor_sizes(GetParam()))
      for (const int data : {1, 2, 3})
        for (const auto stage : kEveryStage) {
          if (data == 3 && !every_layout()) continue;
          const bool again = recompute == Recompute::full;
          if (data == 1 ? stage != Stage::none : again) continue;
          const RankLayout layout{.nranks = data * static_cast<int>(tp), .stage = stage, .tp = tp};
          SCOPED_TRACE(::testing::PrintToString(layout));
          expect_the_same(run_tiny(with(config, layout), layout.nranks, in_fixed_blocks), one);
        }
  }
}

TEST_P(Equality, OfTensorParallelRanksBesideOtherSumsIsToTheBit) {
  const TinyHooks in_fixed_blocks{
      .math = [](int) { return make_cpu_math({.fixed_blocks = true}); }};
  auto config = tiny_training(GetParam());
  config.deterministic = true;
  const auto one = run_tiny(with(config, {}), 1, in_fixed_blocks);
  for (const RankLayout& layout : std::initializer_list<RankLayout>{
           {.nranks = 8, .stage = Stage::gradients, .shard_size = 2, .tp = 2},
           {.nranks = 8, .stage = Stage::parameters, .shard_size = 2, .tp = 2},
           {.nranks = 6, .sync = Sync::tree, .tp = 2},
           {.nranks = 4, .sync = Sync::parameter_server, .tp = 2},
           {.nranks = 4, .sync = Sync::reduce_scatter, .tp = 2}}) {
    SCOPED_TRACE(::testing::PrintToString(layout));
    expect_the_same(run_tiny(with(config, layout), layout.nranks, in_fixed_blocks), one);
  }
}

// Fast mode adds up in any order, but what ranks hold copies of stays the same.
TEST_P(Equality, OfCopiesOnTensorParallelRanksIsToTheBitInFastMode) {
  for (const bool splits : {false, true}) {
    auto config = tiny_training(GetParam());
    config.model.length = config.data.length = 12;
    config.tp = 2;
    config.sequence_parallel = splits;
    std::vector<std::vector<std::byte>> copies(2);
    const auto code =
        on_trainers(host_threads(2), config, [&](RankContext& rank, Trainer& trainer) {
          (void)trained(trainer, config.steps);
          auto& own = copies[static_cast<std::size_t>(rank.rank())];
          for (const auto& [slice, array] : trainer.parameters())
            if (trainer.table().parameters[slice.parameter].pieces.empty())
              own.insert(own.end(), array.data, array.from(slice.count).data);
        });
    EXPECT_EQ(code, ExitCode::ok);
    EXPECT_FALSE(copies[0].empty());
    EXPECT_EQ(copies[0], copies[1]) << splits;
  }
}

// Three ranks have the same of Llama's two key and value heads, and one of them saves it.
TEST_P(Equality, OfCopiesOfKeyAndValueHeadsIsToTheBitInFastMode) {
  auto config = tiny_training(GetParam());
  config.tp = 6;
  std::vector<std::vector<std::byte>> copied(6);
  std::vector<std::size_t> saved(6);
  std::size_t elements = 0;
  const auto code = on_trainers(host_threads(6), config, [&](RankContext& rank, Trainer& trainer) {
    (void)trained(trainer, config.steps);
    const auto own = static_cast<std::size_t>(rank.rank());
    for (const auto& [slice, array] : trainer.parameters()) {
      const auto& parameter = trainer.table().parameters[slice.parameter];
      const auto tail = parameter.count() / parameter.shape[0] * parameter.copied_rows;
      copied[own].insert(copied[own].end(), array.from(slice.count - tail).data,
                         array.from(slice.count).data);
    }
    for (const auto& part : trainer.snapshot().parts) saved[own] += part.what.count;
    if (own == 0)
      for (const auto& parameter : trainer.table().parameters)
        elements += std::size(kStateKinds) * parameter.whole_count();
  });
  EXPECT_EQ(code, ExitCode::ok);
  EXPECT_EQ(std::accumulate(saved.begin(), saved.end(), std::size_t{0}), elements);
  EXPECT_EQ(copied[0].empty(), !GetParam());
  for (std::size_t rank = 0; rank < 6; ++rank)
    EXPECT_EQ(copied[rank], copied[rank / 3 * 3]) << rank;
}

// Sequences that have leaves, and two of them in some micro-batches.
TrainConfig training_of_leaves(bool llama) {
  auto config = tiny_training(llama);
  config.model.length = config.data.length = 16;
  config.model.dropout = 0.1;
  config.deterministic = true;
  return config;
}

// With each way of recomputing; where something is recomputed without data-parallel ranks.
void expect_one_ranks_bits(bool llama, const std::vector<RankLayout>& layouts) {
  const TinyHooks in_fixed_blocks{
      .math = [](int) { return make_cpu_math({.fixed_blocks = true}); }};
  for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    auto config = training_of_leaves(llama);
    config.recompute = recompute;
    const std::uint64_t sequences = recompute == Recompute::selective ? 2 : 1;
    const auto one = run_tiny(with(config, {.micro_batch = sequences}), 1, in_fixed_blocks);
    for (auto layout : layouts) {
      layout.micro_batch = sequences;
      const auto shared = static_cast<int>(layout.tp * layout.cp * layout.pp);
      if (recompute != Recompute::none && layout.nranks > shared) continue;
      SCOPED_TRACE(::testing::PrintToString(layout));
      expect_the_same(run_tiny(with(config, layout), layout.nranks, in_fixed_blocks), one);
    }
  }
}

TEST_P(Equality, OfContextParallelLayoutsIsToTheBit) {
  expect_one_ranks_bits(GetParam(), context_layouts());
}

TEST_P(Equality, OfSequenceParallelLayoutsIsToTheBit) {
  std::vector<RankLayout> layouts{
      {.nranks = 2, .tp = 2},
      {.nranks = 4, .stage = Stage::parameters, .tp = 2},
      {.nranks = 4, .tp = 2, .cp = 2},
      {.nranks = 4, .tp = 2, .pp = 2},
      {.nranks = 8, .stage = Stage::gradients, .tp = 2, .cp = 2, .pp = 2}};
  for (auto& layout : layouts) layout.sequence_parallel = true;
  expect_one_ranks_bits(GetParam(), layouts);
}

// Who is whose neighbour changes nothing.
TEST_P(Equality, OfEveryOrderOfAxesIsToTheBit) {
  std::vector<RankLayout> layouts;
  for (const auto* order : {"pp-dp-cp-tp", "cp-pp-tp", "tp-cp-pp"})
    layouts.push_back({.nranks = 8, .tp = 2, .cp = 2, .pp = 2, .order = order});
  if (every_layout())
    for (const auto* order : {"dp-tp", "dp-tp-cp-pp", "pp-tp-dp"})
      layouts.push_back(
          {.nranks = 8, .stage = Stage::gradients, .shard_size = 2, .tp = 2, .order = order});
  expect_one_ranks_bits(GetParam(), layouts);
}

TEST_P(Equality, OfEverySyncIsToTheBit) {
  auto config = tiny_training(GetParam());
  config.deterministic = true;
  const auto one = run_tiny(with(config, {}), 1);
  for (const int nranks : rank_counts())
    for (const auto sync : {Sync::reduce_scatter, Sync::tree, Sync::parameter_server}) {
      const RankLayout layout{.nranks = nranks, .sync = sync};
      SCOPED_TRACE(::testing::PrintToString(layout));
      expect_the_same(run_tiny(with(config, layout), nranks), one);
    }
}

std::vector<RankLayout> fast_layouts() {
  return {RankLayout{2, Stage::none, 0},
          RankLayout{2, Stage::none, 1, Overlap::fake},
          RankLayout{3, Stage::optimizer, 1},
          RankLayout{4, Stage::gradients, 1, Overlap::off},
          RankLayout{2, Stage::parameters, 2},
          RankLayout{3, Stage::parameters, 1, Overlap::fake},
          RankLayout{4, Stage::optimizer, 1, Overlap::on, 2},
          RankLayout{4, Stage::gradients, 1, Overlap::off, 2},
          RankLayout{6, Stage::parameters, 1, Overlap::on, 2},
          RankLayout{2, Stage::parameters, 0, Overlap::fake, 1},
          RankLayout{.nranks = 3, .micro_batch = 1, .sync = Sync::reduce_scatter},
          RankLayout{.nranks = 3, .micro_batch = 0, .overlap = Overlap::off, .sync = Sync::tree},
          RankLayout{.nranks = 4, .micro_batch = 0, .sync = Sync::parameter_server},
          RankLayout{.nranks = 2, .micro_batch = 0, .tp = 2},
          RankLayout{.nranks = 4, .stage = Stage::gradients, .micro_batch = 2, .tp = 2},
          RankLayout{.nranks = 4,
                     .stage = Stage::parameters,
                     .micro_batch = 0,
                     .overlap = Overlap::off,
                     .tp = 2},
          RankLayout{.nranks = 2, .micro_batch = 0, .cp = 2},
          RankLayout{.nranks = 3, .stage = Stage::optimizer, .micro_batch = 2, .cp = 3},
          RankLayout{.nranks = 4, .micro_batch = 0, .sync = Sync::tree, .cp = 4},
          RankLayout{.nranks = 4,
                     .stage = Stage::parameters,
                     .micro_batch = 1,
                     .cp = 2,
                     .method = ContextMethod::ulysses},
          RankLayout{.nranks = 4, .stage = Stage::gradients, .micro_batch = 3, .tp = 2, .cp = 2},
          RankLayout{.nranks = 2, .micro_batch = 0, .tp = 2, .sequence_parallel = true},
          RankLayout{.nranks = 6, .micro_batch = 0, .tp = 6},
          RankLayout{.nranks = 6, .micro_batch = 0, .tp = 6, .sequence_parallel = true},
          RankLayout{.nranks = 12, .stage = Stage::optimizer, .micro_batch = 1, .tp = 6},
          RankLayout{.nranks = 8,
                     .stage = Stage::parameters,
                     .micro_batch = 1,
                     .tp = 2,
                     .cp = 2,
                     .pp = 2,
                     .sequence_parallel = true}};
}

// In the fast look half of them with each model.
TEST_P(Equality, HoldsWithinRoundingInFastMode) {
  auto config = tiny_training(GetParam());
  config.model.length = config.data.length = 12;
  const auto one = losses_of(run_tiny(with(config, {.micro_batch = 6}), 1));
  const auto layouts = fast_layouts();
  const std::size_t stride = every_layout() ? 1 : 2;
  for (std::size_t i = GetParam() ? stride - 1 : 0; i < layouts.size(); i += stride) {
    const auto& layout = layouts[i];
    SCOPED_TRACE(::testing::PrintToString(layout));
    expect_within_rounding(losses_of(run_tiny(with(config, layout), layout.nranks)), one);
  }
}

// The accounts that each step is held to have the hook's bytes.
TEST(Hooks, LearnAsAllOfTheGradientDoes) {
  auto config = with(tiny_training(), {.micro_batch = 2});
  config.steps = 24;
  config.schedule.steps = config.steps;
  const auto whole = losses_of(run_tiny(config, 3));
  const auto learnt = whole.front() - whole.back();
  ASSERT_GT(learnt, 0.2);
  for (const auto& [hook, share] :
       {std::pair(Hook::fp16, 0.99), std::pair(Hook::bf16, 0.97), std::pair(Hook::topk, 0.7)}) {
    SCOPED_TRACE(static_cast<int>(hook));
    config.hook = hook;
    config.topk_ratio = 0.1;
    const auto less = losses_of(run_tiny(config, 3));
    ASSERT_EQ(less.size(), whole.size());
    EXPECT_GT(less.front() - less.back(), share * learnt);
    EXPECT_NE(less, whole);
  }
}

TEST(Float16, SkipsTheStepOnAllRanksWhereOneOverflowsAndHalvesTheScale) {
  auto config = with(tiny_training(), {.nranks = 2, .stage = Stage::parameters, .micro_batch = 3});
  config.type = DataType::float16;
  config.loss_scale = {.initial = 0x1p24, .hysteresis = 1};
  config.steps = 26;
  config.schedule = {.decay = Decay::constant, .peak = 0.01};

  const auto run = run_tiny(config, 2);

  expect_equal_on_all_ranks(run);
  const auto& norms = run.ranks.front().norms;
  const auto& skipped = run.ranks.front().skipped;
  for (std::size_t i = 0; i < norms.size(); ++i)
    EXPECT_EQ(std::isfinite(std::bit_cast<double>(norms[i])), !skipped[i]) << i;
  const auto skips = std::ranges::count(skipped, true);
  EXPECT_GT(skips, 0);
  EXPECT_FALSE(skipped.back());
  EXPECT_EQ(run.ranks.front().loss_scale, std::ldexp(0x1p24, -static_cast<int>(skips)));
  EXPECT_LT(losses_of(run).back(), losses_of(run).front() - 0.1);
}

TEST(Float16, LearnsAsFloat32Does) {
  auto config = with(tiny_training(), {.nranks = 2, .micro_batch = 3});
  const auto wide = losses_of(run_tiny(config, 2));
  config.type = DataType::float16;

  const auto narrow = losses_of(run_tiny(config, 2));

  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_NEAR(narrow[i], wide[i], 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Models, Equality, ::testing::Bool(),
                         [](const auto& model) { return model.param ? "Llama" : "Gpt2"; });

}  // namespace
}  // namespace linerate::trainers
