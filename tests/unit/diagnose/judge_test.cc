// A run that is followed: bounds for groups and rows, what to ask pairs, what it was found to be.
#include "diagnose/judge.h"

#include "collectives/collective.h"
#include "record/verdict.h"
#include "unit/diagnose/example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

// A bound of 40 GB/s for all calls, which it keeps.
class FixedModel final : public PerformanceModel {
 public:
  explicit FixedModel(std::vector<ModeledCall>* asked = nullptr) : asked_(asked) {}
  std::optional<Expectation> bound(const ModeledCall& call) const override {
    if (asked_ != nullptr) asked_->push_back(call);
    return band_below(40, 0.5, "x");
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

// A row of one placement, as a run without groups gives it.
void add_row(Judge& judge, Record& row) {
  auto group = row;
  judge.add_bounds({&group, 1});
  judge.add_bounds_to_row({&row, 1});
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

  add_row(judge, unknown);
  add_row(judge, one_rank);

  EXPECT_FALSE(unknown.expected);
  EXPECT_FALSE(one_rank.expected);
  EXPECT_EQ(judge.judgement({}).verdict, "");
  EXPECT_FALSE(judge.judgement({}).lowest);
}

// Closed forms of many ranks take their time.
TEST(Judge, AsksForTheBoundOfARowOnce) {
  std::vector<ModeledCall> asked;
  Judge judge;
  judge.begin({}, std::make_unique<FixedModel>(&asked), nullptr);
  auto row = record_of(30);

  add_row(judge, row);

  EXPECT_EQ(asked.size(), 1U);
  EXPECT_DOUBLE_EQ(efficiency(row), 0.75);
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
    add_row(judge, record);
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
  add_row(judge, low);

  EXPECT_EQ(judge.pair_bytes(), 0U);
  EXPECT_EQ(judge.judgement({}).findings.back().subject, "what node 2 sends to others");
}

// Says after the run that all is half as fast as before.
class ChangingModel final : public PerformanceModel {
 public:
  explicit ChangingModel(double gbps = 40) : gbps_(gbps) {}
  std::optional<Expectation> bound(const ModeledCall&) const override {
    return band_below(gbps_, 0.5, "memory");
  }
  std::unique_ptr<const PerformanceModel> probed_again(
      std::span<const MemoryPoint> memory, std::span<const NetworkPoint>) const override {
    return memory.empty() ? nullptr : std::make_unique<ChangingModel>(gbps_ / 2);
  }

 private:
  double gbps_;
};

Judgement judged_after(const std::vector<MemoryPoint>& memory, double busbw_gbps) {
  Judge judge;
  judge.begin({}, std::make_unique<ChangingModel>(), nullptr);
  auto record = record_of(busbw_gbps);
  add_row(judge, record);
  return judge.judgement({.memory = memory});
}

TEST(Judge, WidensAllBandsByWhatTheMachineChanged) {
  const std::vector<MemoryPoint> again(1);

  EXPECT_EQ(judged_after(again, 15).verdict, "unsure");
  EXPECT_EQ(judged_after(again, 15).slack, 2);
  EXPECT_EQ(judged_after(again, 15).findings[0].rule, "unstable_machine");
  EXPECT_EQ(judged_after(again, 9).verdict, "low");
  EXPECT_EQ(judged_after(again, 30).verdict, "ok");
  EXPECT_EQ(judged_after({}, 15).verdict, "low");
}

// The faster of both probes tells what is possible, and each may be too slow.
TEST(Judge, CallsNothingAboveThatTheFasterProbeAllows) {
  EXPECT_EQ(judged_after({}, 60).verdict, "above");
  EXPECT_EQ(judged_after(std::vector<MemoryPoint>(1), 60).verdict, "ok");
  EXPECT_EQ(judged_after(std::vector<MemoryPoint>(1), 90).verdict, "above");
}

// 10 of 40 GB/s; without the half of the time that rank 1 waited for its core, 20.
TEST(Judge, IsUnsureOfResultsOfRanksThatWaitedForTheirCores) {
  const auto verdict = [](const RunInfo& run) {
    Judge judge;
    judge.begin(run, std::make_unique<FixedModel>(), nullptr);
    auto record = record_of(10);
    record.window.core_wait_us = {0, 5};
    add_row(judge, record);
    return name_of(verdict_of(record));
  };

  EXPECT_EQ(verdict({}), "unsure");
  EXPECT_EQ(verdict({.nccl_version = 22809}), "low");
}

// Rank 1 waited for half of the time: whoever had its core had the caches too.
TEST(Judge, WidensAllBandsByWhatOthersTookOfTheCores) {
  Judge judge;
  judge.begin({}, std::make_unique<FixedModel>(), nullptr);
  auto record = record_of(30);
  record.window.iters = 20;
  record.window.core_wait_us = {0, 5};
  add_row(judge, record);

  EXPECT_DOUBLE_EQ(judge.judgement({}).slack, 2);
}

TEST(Judge, SumsUpARun) {
  Judge judge;
  judge.begin({.run_id = "r1"}, std::make_unique<FixedModel>(), nullptr);
  for (const double gbps : {30, 10, 35}) {
    auto record = record_of(gbps);
    add_row(judge, record);
  }

  const auto judgement = judge.judgement({});

  EXPECT_EQ(judgement.verdict, "low");
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].rule, "below_bound");
  EXPECT_EQ(judgement.lowest->busbw_gbps, 10);
}

using testing::HasSubstr;

Judgement reached(double share, double slack = 1) {
  const auto lowest = widened(result_of(share), slack);
  return {.verdict = "ok", .lowest = lowest, .surely_lowest = lowest};
}

TEST(Gate, FailsBelowTheShareThatIsAskedFor) {
  EXPECT_EQ(pass_gate({.fail_below = 0.9}, reached(0.8), "").code, ExitCode::finding);
  EXPECT_EQ(pass_gate({.fail_below = 0.9}, reached(0.9), "").code, ExitCode::ok);
  EXPECT_EQ(pass_gate({}, reached(0.1), "").code, ExitCode::ok);
}

TEST(Gate, NamesTheResultThatFails) {
  const auto failed = pass_gate({.fail_below = 0.9}, reached(0.8), "");

  EXPECT_EQ(
      failed.sentence,
      "--fail-below 0.9: 1024 B, out of place: got 32 GB/s, expected 40 (0.80), low below 20, "
      "bound by memory.");
  EXPECT_EQ(pass_gate({.fail_below = 0.9}, reached(1), "").sentence, "");
}

TEST(Gate, SaysWhatDisturbedTheRun) {
  auto judgement = reached(0.8);
  judgement.findings = {{.rule = "unstable_machine",
                         .subject = "memory",
                         .evidence = "changed by a factor of 2.0 during the run",
                         .advice = "measure again"}};

  const auto failed = pass_gate({.fail_below = 0.9}, judgement, "");

  EXPECT_EQ(failed.code, ExitCode::finding);
  EXPECT_THAT(failed.sentence, HasSubstr("Beside it, memory changed by a factor of 2.0"));
}

// With its slack the result may have reached 0.96: that is no failure, unless it is asked for.
TEST(Gate, OnlyWarnsWhereTheSlackMayExplainIt) {
  const auto warned = pass_gate({.fail_below = 0.9}, reached(0.8, 1.2), "");
  const auto failed = pass_gate({.fail_below = 0.9, .fail_unsure = true}, reached(0.8, 1.2), "");

  EXPECT_EQ(warned.code, ExitCode::ok);
  EXPECT_THAT(warned.sentence, HasSubstr("warning: --fail-below 0.9: unsure: 1024 B"));
  EXPECT_THAT(warned.sentence, HasSubstr("undisturbed it may reach 0.96."));
  EXPECT_EQ(failed.code, ExitCode::finding);
  EXPECT_EQ(pass_gate({.fail_below = 0.9}, reached(0.7, 1.2), "").code, ExitCode::finding);
}

// The lowest result is doubtful, another one is not.
TEST(Gate, FailsOnAnyResultThatIsSurelyTooLow) {
  auto judgement = reached(0.2, 10);
  judgement.surely_lowest = result_of(0.5);

  const auto failed = pass_gate({.fail_below = 0.9}, judgement, "");

  EXPECT_EQ(failed.code, ExitCode::finding);
  EXPECT_THAT(failed.sentence, HasSubstr("(0.50)"));
}

TEST(Gate, SaysWhyNothingWasJudgedWhereThatIsAskedFor) {
  const auto limited = pass_gate({.fail_below = 0.9}, {}, "nobody was there");
  const auto listed = pass_gate({.lists_verdicts = true}, {}, "nobody was there");

  EXPECT_EQ(limited.code, ExitCode::unavailable);
  EXPECT_THAT(limited.sentence, HasSubstr("--fail-below: nothing was judged: nobody was there."));
  EXPECT_EQ(listed.code, ExitCode::ok);
  EXPECT_THAT(listed.sentence, HasSubstr("--verdict: nothing was judged: nobody was there"));
  EXPECT_EQ(pass_gate({}, {}, "nobody was there").sentence, "");
}

TEST(Gate, HasReasonsOfItsOwn) {
  const auto sentence = [](Gate gate, const std::string& why = "") {
    gate.fail_below = 0.5;
    return pass_gate(gate, {}, why).sentence;
  };

  EXPECT_THAT(sentence({.expects = false}), HasSubstr("--expect off"));
  EXPECT_THAT(sentence({.pairs = true}), HasSubstr("pairs of ranks have a bound on emulated"));
  EXPECT_THAT(sentence({.pairs = true}, "it could not be probed"), HasSubstr("pairs of ranks"));
  EXPECT_THAT(sentence({}), HasSubstr("these calls and sizes"));
}

TEST(WhyNoBound, NamesWhatIsNotKnown) {
  EXPECT_THAT(why_no_bound({.backend = "mpi", .transport = "ucx", .nranks = 8, .nnodes = 2}),
              HasSubstr("2 hosts is their network's, and how mpi (ucx) uses it"));
  EXPECT_THAT(why_no_bound({.backend = "gloo", .transport = "TCP", .nranks = 8, .nnodes = 2}),
              HasSubstr("2 hosts is their network's, and it could not be probed"));
  EXPECT_THAT(why_no_bound({.transport = "TCP", .nranks = 8, .nnodes = 2, .ngroups = 2}),
              HasSubstr("2 groups of ranks share the network of 2 hosts"));
  EXPECT_THAT(why_no_bound({.backend = "host", .nranks = 4, .nnodes = 1, .ngroups = 4}),
              HasSubstr("each of the 4 groups is one rank alone"));
  EXPECT_THAT(why_no_bound({.backend = "host", .nranks = 4, .nnodes = 1, .ngroups = 2}),
              HasSubstr("2 groups of ranks share the memory of one host"));
  EXPECT_THAT(why_no_bound({.nranks = 1, .nnodes = 1}), HasSubstr("one rank alone"));
  EXPECT_THAT(why_no_bound({.transport = "TCP", .nranks = 2000, .nnodes = 2}),
              HasSubstr("more than 1024 ranks"));
}

}  // namespace

}  // namespace linerate
