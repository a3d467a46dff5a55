// Cases that a communicator has no call for are left out, and named.
#include "bench/runnable.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <functional>

namespace linerate {
namespace {

// A communicator that has calls as `allows` says.
class Picky final : public Inspector {
 public:
  explicit Picky(std::function<bool(const Op&)> allows) : allows_(std::move(allows)) {}

  std::string transport() const override { return {}; }
  std::string refusal(const Op& op) const override {
    return allows_(op) ? "" : "No call for " + std::string(name_of(op.type)) + ".";
  }

 private:
  std::function<bool(const Op&)> allows_;
};

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

TEST(RunnableCases, AreAllOfThemWhereNothingIsRefused) {
  const auto cases = cases_of("all_reduce");

  const auto runnable = runnable_cases(cases, Picky([](const Op&) { return true; }));

  EXPECT_EQ(runnable.cases.size(), cases.size());
  EXPECT_EQ(runnable.note, "");
}

TEST(RunnableCases, LeaveOutAndNameTheOthers) {
  const Picky inspector([](const Op& op) {
    return op.kind == OpKind::all_reduce && op.op != RedOp::prod &&
           (op.op != RedOp::sum || op.type != DataType::f8e4m3);
  });

  const auto runnable = runnable_cases(cases_of("all_reduce"), inspector);

  EXPECT_EQ(runnable.cases.size(), 10u);  // int32 and float: sum, max; f8e4m3: max; of two sizes
  for (const Case& what : runnable.cases) EXPECT_NE(what.op, RedOp::prod);
  EXPECT_EQ(runnable.note, "note: left out, as there is no kernel for them: prod; sum of f8e4m3");
}

TEST(RunnableCases, AreRefusedInTheCommunicatorsWordsWhereNoneIsLeft) {
  try {
    (void)runnable_cases(cases_of("all_reduce"), Picky([](const Op&) { return false; }));
    FAIL();
  } catch (const Unavailable& error) {
    EXPECT_STREQ(error.what(), "No call for int32.");
  }
}

TEST(RunnableCases, KeepCollectivesThatAreMadeOfSendsUnasked) {
  const auto runnable =
      runnable_cases(cases_of("hypercube"), Picky([](const Op&) { return false; }));

  EXPECT_FALSE(runnable.cases.empty());
}

}  // namespace
}  // namespace linerate
