// When the reduction of each bucket begins, and whether backward waits for it.
#include "trainers/engine/gradients.h"

#include "trainers/engine/compute_stream.h"
#include "trainers/engine/parameter_store.h"
#include "trainers/engine/plan.h"
#include "unit/trainers/engine/axis_fixture.h"
#include "unit/trainers/engine/tiny_training.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

using Counts = std::vector<std::size_t>;

// A round in which parameters become ready from the last to the first.
struct ReadyRound {
  Counts begun{};                      // calls, when each of them is ready
  Counts when_complete{};              // one where it is the last of its bucket
  std::size_t begun_at_end = 0;        // calls at the end of the round
  std::size_t waits = 0, buckets = 0;  // of backward until then
};

ReadyRound ready_round(Stage stage, Overlap overlap) {
  auto config = tiny_training();
  config.stage = stage;
  config.overlap = overlap;
  ReadyRound round;
  on_ranks(2, [&](RankTools& rank) {
    const auto table = table_of(config, {.data_nranks = 2});
    const auto layout = flat_layout(table, 2);
    const auto plan = plan_of(config, table, layout, rank.axis.rank());
    ComputeStream compute(rank.tools.compute);
    const auto gradients = make_gradients(
        plan,
        {.axis = rank.axis, .math = rank.tools.math, .compute = compute, .arena = rank.arena});
    const auto begun = [&] { return rank.axis.comm().take_calls().size(); };
    ReadyRound own{.when_complete = Counts(table.parameters.size()),
                   .buckets = plan.buckets.size()};
    for (const auto& bucket : plan.buckets)
      ++own.when_complete[table.parameters.size() - 1 - std::ranges::min(bucket.parameters)];

    gradients->begin_round({});
    for (auto parameter = table.parameters.size(); parameter-- > 0;) {
      gradients->ready(parameter);
      own.begun.push_back(begun());
    }
    gradients->end_round();
    own.begun_at_end = begun();
    own.waits = compute.take_waits().size();
    gradients->finish();

    if (rank.axis.rank() == 0) round = own;
  });
  return round;
}

TEST(Reductions, BeginWhenTheirBucketIsCompleteWithOverlap) {
  for (const auto stage : kEveryStage) {
    const auto round = ready_round(stage, Overlap::on);

    EXPECT_EQ(round.begun, round.when_complete) << static_cast<int>(stage);
    EXPECT_EQ(round.begun_at_end, 0u);
    if (stage <= Stage::optimizer) {
      EXPECT_EQ(round.waits, 0u);
    }
  }
}

TEST(Reductions, AreWaitedForAtOnceWithoutOverlap) {
  for (const auto stage : kEveryStage) {
    const auto round = ready_round(stage, Overlap::off);

    EXPECT_EQ(round.begun, round.when_complete) << static_cast<int>(stage);
    EXPECT_GE(round.waits, round.buckets);
  }
}

TEST(Reductions, BeginAfterBackwardWithFakeOverlap) {
  for (const auto stage : kEveryStage) {
    const auto round = ready_round(stage, Overlap::fake);

    EXPECT_EQ(round.begun, Counts(round.begun.size())) << static_cast<int>(stage);
    EXPECT_EQ(round.begun_at_end, round.buckets);
  }
}

TEST(UnitsAhead, AreNoneWithoutOverlap) {
  const auto table = parameters_of(tiny_training().model);
  const auto layout = flat_layout(table, 1);
  for (const auto& [overlap, ahead] :
       {std::pair(Overlap::on, 3u), {Overlap::off, 0u}, {Overlap::fake, 3u}})
    EXPECT_EQ(units_ahead({.table = table, .layout = layout, .overlap = overlap}, {.prefetch = 3}),
              ahead);
}

}  // namespace
}  // namespace linerate::trainers
