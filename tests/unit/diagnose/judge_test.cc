// A run that is followed: bounds for groups and rows, what to ask pairs, what it was found to be.
#include "diagnose/judge.h"

#include "collectives/collective.h"
#include "record/verdict.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// A bound of 40 GB/s for all calls, which it keeps.
class FixedModel final : public PerformanceModel {
 public:
  explicit FixedModel(std::vector<ModeledCall>* asked = nullptr) : asked_(asked) {}
  std::optional<Expectation> bound(const ModeledCall& call) const override {
    if (asked_ != nullptr) asked_->push_back(call);
    return Expectation{.busbw_gbps = 40, .bound_by = "x", .low_below = 0.5};
  }

 private:
  std::vector<ModeledCall>* asked_;
};

Record record_of(double busbw_gbps, std::uint64_t bytes = 1024) {
  return {.what = {.collective = "broadcast",
                   .type = "bfloat16",
                   .redop = "none",
                   .root = 3,
                   .placement = Placement::in_place,
                   .bytes = bytes,
                   .count = bytes / 2},
          .nranks = 4,
          .window = {.time_us = 10},
          .busbw_gbps = busbw_gbps};
}

Record with_fault_free(Record record, double us) {
  record.window.fault_free_us = us;
  return record;
}

TEST(Judge, AsksTheModelForTheCallOfTheRecord) {
  std::vector<ModeledCall> asked;
  Judge judge;
  judge.begin({}, std::make_unique<FixedModel>(&asked), nullptr);
  auto record = record_of(30);

  judge.add_bounds({&record, 1});

  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].collective, find_collective("broadcast"));
  EXPECT_EQ(asked[0].type, DataType::bfloat16);
  EXPECT_EQ(asked[0].root, 3);
  EXPECT_EQ(asked[0].placement, Placement::in_place);
  EXPECT_EQ(asked[0].sizing.count, 512U);
  EXPECT_EQ(asked[0].sizing.nranks, 4);
  EXPECT_DOUBLE_EQ(efficiency(record), 0.75);
}

// The table shows what -a asks for: 10 us, where the slowest rank took 20.
TEST(Judge, ComparesTheSlowestRankWithTheFaultFreeTime) {
  Judge judge;
  judge.begin({}, nullptr, nullptr);
  auto record = with_fault_free(record_of(30), 8);
  record.window.slowest_us = 20;

  judge.add_bounds({&record, 1});

  EXPECT_EQ(record.expected->bound_by, "healthy network");
  EXPECT_DOUBLE_EQ(record.expected->busbw_gbps, 30 * 10 / 8.0);
  EXPECT_DOUBLE_EQ(efficiency(record), 8 / 20.0);
}

TEST(Judge, KnowsNoBoundWithoutAModelOrABandwidth) {
  Judge judge;
  judge.begin({}, nullptr, nullptr);
  auto unknown = record_of(30), one_rank = with_fault_free(record_of(0), 8);

  judge.add_bounds_to_row({&unknown, 1});
  judge.add_bounds_to_row({&one_rank, 1});

  EXPECT_FALSE(unknown.expected);
  EXPECT_FALSE(one_rank.expected);
  EXPECT_EQ(judge.judgement({}).verdict, "");
  EXPECT_FALSE(judge.judgement({}).lowest);
}

TEST(Judge, FindsARowAsGoodAsItsWorstGroup) {
  Judge judge;
  judge.begin({.ngroups = 2}, nullptr, nullptr);
  std::vector<Record> groups{with_fault_free(record_of(30), 9.5),
                             with_fault_free(record_of(10), 6)};
  auto row = record_of(20);

  judge.add_bounds(groups);
  judge.add_bounds_to_row({&row, 1});

  EXPECT_EQ(verdict_of(groups[0]), Verdict::ok);
  EXPECT_EQ(verdict_of(row), Verdict::low);
  EXPECT_DOUBLE_EQ(efficiency(row), 0.6);
}

// Else nobody would see that a bound is wrong.
TEST(Judge, FindsARowAboveTheBoundWhereAGroupIs) {
  Judge judge;
  judge.begin({.ngroups = 2}, nullptr, nullptr);
  std::vector<Record> groups{with_fault_free(record_of(30), 20), with_fault_free(record_of(10), 9)};
  auto row = record_of(20);

  judge.add_bounds(groups);
  judge.add_bounds_to_row({&row, 1});

  EXPECT_DOUBLE_EQ(efficiency(row), 2);
}

TEST(Judge, AsksPairsForTheLargestResultThatIsLow) {
  Judge judge;
  judge.begin({}, std::make_unique<FixedModel>(), nullptr);
  EXPECT_EQ(judge.pair_bytes(), 0U);
  for (const auto& [gbps, bytes] :
       {std::pair(10, 4096), std::pair(15, 64), std::pair(30, 1 << 20)}) {
    auto record = record_of(gbps, static_cast<std::uint64_t>(bytes));
    judge.add_bounds_to_row({&record, 1});
  }

  EXPECT_EQ(judge.pair_bytes(), 4096U);
}

TEST(Judge, DoesNotAskPairsWhereTheProbeHasNamedANode) {
  RunInfo run;
  for (int node = 0; node < 4; ++node)
    run.network.push_back({.node = node, .send_gbps = node == 2 ? 1.0 : 10.0, .receive_gbps = 10});
  Judge judge;
  judge.begin(run, std::make_unique<FixedModel>(), nullptr);
  auto low = record_of(10);
  judge.add_bounds_to_row({&low, 1});

  EXPECT_EQ(judge.pair_bytes(), 0U);
  EXPECT_EQ(judge.judgement({}).findings.back().subject, "what node 2 sends to others");
}

TEST(Judge, SumsUpARun) {
  Judge judge;
  judge.begin({.run_id = "r1"}, std::make_unique<FixedModel>(), nullptr);
  for (const double gbps : {30, 10, 35}) {
    auto record = record_of(gbps);
    judge.add_bounds_to_row({&record, 1});
  }

  const auto judgement = judge.judgement({});

  EXPECT_EQ(judgement.verdict, "low");
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].rule, "below_bound");
  EXPECT_EQ(judgement.lowest->busbw_gbps, 10);
}

}  // namespace
}  // namespace linerate
