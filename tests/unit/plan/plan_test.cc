// The best of all layouts, without a simulation of each; what does not fit, and what is refused.
#include "plan/plan.h"

#include "machines.h"
#include "plan/layouts.h"
#include "trainers/engine/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace linerate::plan {
namespace {

using trainers::TrainConfig;

Machine some_machine(int nranks) {
  return machine_of(nranks, by_flops, [](CallKind call, CallGroup group, double bytes) {
    return (call == CallKind::message ? 1 : 2) * (20 + group.size + bytes / 2e4);
  });
}

Task task_of(std::string_view model, std::size_t most = 10) {
  return {.training = training_of(model), .most = most};
}

TEST(FittingLayouts, AreThoseThatAPlanCounts) {
  auto machine = some_machine(4);
  const auto all = fitting_layouts(task_of("nano"), machine);
  std::uint64_t least = all.front().batch << 40U;
  for (const auto& config : all) least = std::min(least, examined(config, machine).memory.total());

  machine.memory_bytes = 1.3 * static_cast<double>(least);
  const auto some = fitting_layouts(task_of("nano"), machine);

  EXPECT_EQ(all.size(), layouts_of(training_of("nano"), 4).legal.size());
  EXPECT_EQ(some.size(), plan_for(task_of("nano"), machine).fits);
  EXPECT_LT(some.size(), all.size());
  EXPECT_FALSE(some.empty());
  machine.memory_bytes = 1;
  EXPECT_TRUE(fitting_layouts(task_of("nano"), machine).empty());
}

TEST(Orders, AreThoseOfTheAxesThatHaveRanks) {
  auto config = training_of("nano");
  config.tp = config.pp = 2;

  EXPECT_EQ(orders_of(config, 4), (std::vector<std::string>{"tp-cp-dp-pp", "pp-tp"}));
  EXPECT_EQ(orders_of(config, 8).size(), 6u);
  EXPECT_EQ(orders_of(training_of("nano"), 8).size(), 1u);
}

// A stage's ranks are neighbours in the usual order, and pipelines cross nodes: the other way round
// is better where groups that cross nodes reduce slowly, and messages do not matter.
TEST(PlanFor, NamesTheOrderThatKeepsSlowCallsOnANode) {
  auto machine = machine_of(4, by_flops, [](CallKind call, CallGroup group, double bytes) {
    const bool crosses = group.stride * group.size > 2;
    return call == CallKind::all_reduce && bytes > 1e5 && crosses ? 1e5 : 1;
  });
  machine.node_ranks = 2;

  const auto plan = plan_for(task_of("nano", 1000), machine);

  std::set<std::string> orders;
  for (const auto& one : plan.best) orders.insert(one.config.order.axes);
  EXPECT_TRUE(orders.contains("tp-cp-dp-pp") && orders.contains("pp-dp"));
  EXPECT_EQ(plan.fits, layouts_of(training_of("nano"), 4).legal.size());
  std::set<std::pair<std::string, double>> different;
  for (auto one : plan.best) {
    one.config.order = {};
    EXPECT_TRUE(different.emplace(options_of(one.config), one.prediction.step_us).second);
  }
  const auto step_us = [&](std::string_view order) {
    auto config = training_of("nano");
    config.pp = 2;
    config.micro_batch = 1;
    config.order.axes = order;
    return examined(config, machine).prediction.step_us;
  };
  EXPECT_LT(step_us("tp-cp-dp-pp") + 9e4, step_us("pp-dp"));
}

TEST(Layouts, AreAllFactorizationsThatTheTrainersRun) {
  const auto layouts = layouts_of(training_of("nano"), 8);
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> meshes;
  for (const auto& config : layouts.legal) {
    EXPECT_FALSE(mesh_refusal(config, 8)) << options_of(config);
    meshes.insert({config.tp, config.cp, config.pp});
  }

  // Of 20 factorizations of 8 those of 8 stages or 8 tensor-parallel ranks are refused: nano has 4
  // layers and 4 heads.
  EXPECT_EQ(meshes.size(), 18u);
  EXPECT_EQ(layouts.refused.size(), 2u);
}

TEST(Layouts, LeaveNoRankWithoutSequences) {
  const auto layouts = layouts_of(training_of("nano", 2), 4);

  for (const auto& config : layouts.legal) EXPECT_GT(config.tp * config.cp * config.pp, 1u);
  EXPECT_TRUE(
      layouts.refused.contains("4 data-parallel ranks do not divide the batch of 2 sequences."));
}

TEST(Plan, HasTheFastestOfAllLayouts) {
  const auto machine = some_machine(4);
  Predictor predictor(machine);
  std::vector<double> all_us;
  for (const auto& config : layouts_of(training_of("nano"), 4).legal)
    all_us.push_back(predictor.predict(config).step_us);
  std::ranges::sort(all_us);

  const auto plan = plan_for(task_of("nano"), machine);

  ASSERT_EQ(plan.best.size(), 10u);
  for (std::size_t i = 0; i < plan.best.size(); ++i)
    EXPECT_DOUBLE_EQ(plan.best[i].prediction.step_us, all_us[i]) << i;
  EXPECT_EQ(plan.fits, all_us.size());
  EXPECT_LT(plan.simulated, plan.fits);
}

TEST(Plan, LeavesOutWhatDoesNotFit) {
  auto machine = some_machine(4);
  machine.memory_bytes = 60e6;  // micro's state is 103 MB

  const auto plan = plan_for(task_of("micro"), machine);

  ASSERT_FALSE(plan.best.empty());
  for (const auto& one : plan.best)
    EXPECT_LE(static_cast<double>(one.memory.total()), machine.memory_bytes);
  ASSERT_FALSE(plan.too_large.empty());
  for (const auto& one : plan.too_large)
    EXPECT_GT(static_cast<double>(one.memory.total()), machine.memory_bytes);
}

TEST(Plan, ComputesAgainOnlyWhereMemoryAsksForIt) {
  auto machine = some_machine(2);
  const auto roomy = plan_for(task_of("micro", 1), machine);
  machine.memory_bytes = 0.7 * static_cast<double>(roomy.best.front().memory.total());

  const auto tight = plan_for(task_of("micro", 100), machine);

  EXPECT_EQ(roomy.best.front().config.recompute, trainers::Recompute::none);
  EXPECT_TRUE(std::ranges::any_of(tight.best, [](const Candidate& one) {
    return one.config.recompute != trainers::Recompute::none;
  }));
}

TEST(BestLayout, IsTheFirstOfThePlan) {
  const auto machine = some_machine(4);

  const auto best = best_layout(task_of("nano"), machine);

  ASSERT_TRUE(best.ok());
  EXPECT_EQ(options_of(*best), options_of(plan_for(task_of("nano"), machine).best.front().config));
}

TEST(BestLayout, SaysWhatIsNeededWhereNoneFits) {
  auto machine = some_machine(2);
  machine.memory_bytes = 1e6;

  const auto best = best_layout(task_of("micro"), machine);

  ASSERT_FALSE(best.ok());
  EXPECT_NE(best.sentence().find("No layout of 2 ranks fits: micro needs"), std::string::npos)
      << best.sentence();
}

}  // namespace
}  // namespace linerate::plan
