// The plan: sizes, and the order of cases.
#include "bench/plan.h"

#include "base/error.h"
#include "support/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace linerate {
namespace {

BenchConfig config_for(std::string_view collective) {
  BenchConfig config;
  config.collective = find_collective(collective);
  config.min_bytes = 8;
  config.max_bytes = 64;
  config.step_factor = 2;
  return config;
}

TEST(SweepSizes, MultiplyByTheFactorUntilTheLastSize) {
  auto config = config_for("all_reduce");

  const auto sizes = sweep_sizes(config);

  EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 16, 32, 64}));
}

TEST(SweepSizes, AddTheStepWhenTheFactorIsOff) {
  auto config = config_for("all_reduce");
  config.step_factor = 1;
  config.step_bytes = 24;

  const auto sizes = sweep_sizes(config);

  EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 32, 56}));
}

TEST(SweepSizes, OneSizeWhenFirstAndLastAreEqual) {
  auto config = config_for("all_reduce");
  config.max_bytes = 8;

  EXPECT_EQ(sweep_sizes(config), std::vector<std::size_t>{8});
}

TEST(SweepSizes, StopWhereTheNextSizeWouldOverflow) {
  auto config = config_for("all_reduce");
  config.max_bytes = std::size_t{1} << 62;
  config.step_factor = 1 << 30;

  const auto sizes = sweep_sizes(config);

  EXPECT_EQ(sizes, (std::vector<std::size_t>{8, std::size_t{8} << 30}));
}

TEST(PlanCases, LoopTypesThenOperatorsThenRootsThenSizes) {
  auto config = config_for("reduce");
  config.max_bytes = 16;
  config.types = {DataType::float32, DataType::float64};
  config.ops = {RedOp::sum, RedOp::max};
  config.root = -1;

  const auto cases = plan_cases(config, 3);

  ASSERT_EQ(cases.size(), 2u * 2u * 3u * 2u);
  EXPECT_EQ(cases[0].bytes, 8u);
  EXPECT_EQ(cases[1].bytes, 16u);
  EXPECT_EQ(cases[2].root, 1);
  EXPECT_EQ(cases[6].op, RedOp::max);
  EXPECT_EQ(cases[12].type, DataType::float64);
}

TEST(PlanCases, CollectivesThatReduceNothingIgnoreTheOperators) {
  auto config = config_for("all_gather");
  config.ops = {RedOp::sum, RedOp::max};
  config.root = -1;

  const auto cases = plan_cases(config, 4);

  EXPECT_EQ(cases.size(), 4u);
  EXPECT_EQ(redop_text(cases[0]), "none");
}

TEST(MaxBytesWithin, LeavesRoomForSendAndRecv) {
  const auto most = max_bytes_within(std::size_t{3} << 20);

  EXPECT_LE(2 * most, std::size_t{3} << 20);
  EXPECT_GT(2 * most, (std::size_t{3} << 20) - 16384);
}

TEST(RankBytes, AreEqualSharesOfEightTenthsOfWhatIsFree) {
  EXPECT_EQ(rank_bytes_of(1000, 1), 800U);
  EXPECT_EQ(rank_bytes_of(1000, 4), 200U);
}

// Of a communicator that has calls as `allows` says.
CallRefusal picky(const std::function<bool(const Op&)>& allows) {
  return [allows](const Op& op) {
    return allows(op) ? "" : "No call for " + std::string(name_of(op.type)) + ".";
  };
}

// Of the only thread, and of one beside another that says yes.
bool alone(bool says) { return says; }
bool beside_a_yes(bool) { return true; }

std::vector<Case> cases_of(std::string_view collective) {
  BenchConfig config;
  config.collective = find_collective(collective);
  config.types = {DataType::int32, DataType::float32, DataType::f8e4m3};
  config.ops = {RedOp::sum, RedOp::prod, RedOp::max};
  config.min_bytes = 8;
  config.max_bytes = 16;
  config.step_factor = 2;
  return plan_cases(config, 1);
}

TEST(TrafficOf, IsNothingForCollectivesWhoseRanksSendAlike) {
  EXPECT_EQ(traffic_of(config_for("all_reduce"), 2), nullptr);
  EXPECT_NE(traffic_of(config_for("all_to_all_v"), 2), nullptr);
}

// Rank 0 sends 80 bytes, rank 1 sends 144.
class MatrixFile : public testing::Test {
 protected:
  bool is_refused(std::size_t min_bytes, std::size_t max_bytes) const {
    auto config = config_for("all_to_all_v");
    config.traffic.matrix_file = folder_.write("matrix", "32 48\n80 64\n");
    config.min_bytes = min_bytes;
    config.max_bytes = max_bytes;
    try {
      EXPECT_NE(traffic_of(config, 2), nullptr);
      return false;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("give -b 144 -e 144."));
      return true;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(MatrixFile, TakesOneSizeThatTheBusiestRankFits) {
  EXPECT_FALSE(is_refused(144, 144));
  EXPECT_FALSE(is_refused(256, 256));
}

TEST_F(MatrixFile, IsRefusedWithSeveralSizesOrTooSmallAOne) {
  EXPECT_TRUE(is_refused(128, 128));
  EXPECT_TRUE(is_refused(144, 256));
}

TEST(RunnableCases, AreAllOfThemWhereNothingIsRefused) {
  const auto cases = cases_of("all_reduce");

  const auto runnable = runnable_cases(cases, picky([](const Op&) { return true; }), alone);

  EXPECT_EQ(runnable.cases.size(), cases.size());
  EXPECT_EQ(runnable.note, "");
}

TEST(RunnableCases, LeaveOutAndNameTheOthers) {
  const auto refusal = picky([](const Op& op) {
    return op.kind == OpKind::all_reduce && op.op != RedOp::prod &&
           (op.op != RedOp::sum || op.type != DataType::f8e4m3);
  });

  const auto runnable = runnable_cases(cases_of("all_reduce"), refusal, alone);

  EXPECT_EQ(runnable.cases.size(), 10u);  // int32 and float: sum, max; f8e4m3: max; of two sizes
  for (const Case& what : runnable.cases) EXPECT_NE(what.op, RedOp::prod);
  EXPECT_EQ(runnable.note, "note: left out, as there is no kernel for them: prod; sum of f8e4m3");
}

TEST(RunnableCases, AreRefusedInTheCommunicatorsWordsWhereNoneIsLeft) {
  const auto none = picky([](const Op&) { return false; });

  const auto runnable = runnable_cases(cases_of("all_reduce"), none, alone);

  EXPECT_TRUE(runnable.cases.empty());
  EXPECT_EQ(runnable.note, "No call for int32.");
}

TEST(RunnableCases, OfCollectivesThatAreMadeOfSendsNeedSends) {
  const auto refusal =
      picky([](const Op& op) { return op.kind == OpKind::send && op.type != DataType::f8e4m3; });

  const auto runnable = runnable_cases(cases_of("hypercube"), refusal, alone);

  EXPECT_EQ(runnable.cases.size(), 4u);  // int32 and float, of two sizes
}

// Ranks of a group of another size: all do the same cases.
TEST(RunnableCases, AreThoseOfAllThreads) {
  const auto refusal = picky([](const Op&) { return true; });
  int asked = 0;
  const auto once = [&](bool says) { return says || ++asked == 1; };

  const auto runnable = runnable_cases(cases_of("hypercube"), refusal, once);

  EXPECT_EQ(runnable.cases.size(), 4u);
  EXPECT_THAT(runnable.note, testing::EndsWith(" of int32"));
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(runnable_cases(cases_of("hypercube"), refusal, beside_a_yes).cases.empty());
}

}  // namespace

}  // namespace linerate
