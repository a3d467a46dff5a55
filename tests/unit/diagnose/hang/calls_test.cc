// Who is missing in which collective, by dumps of PyTorch's flight recorder.
#include "example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate::hang {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

const CallMade kDone{.sequence = 1};
const CallMade kOpen{.sequence = 2, .state = "started"};

TEST(Calls, OfAHealthyJobGiveNothing) {
  EXPECT_THAT(examine(dumps_of({{kDone}, {kDone}, {kDone}})), IsEmpty());
  EXPECT_THAT(examine(Dumps{}), IsEmpty());
}

TEST(Calls, NameTheRankThatHasNotEntered) {
  const auto findings = examine(dumps_of({{kDone, kOpen}, {kDone}, {kDone, kOpen}}));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "missing-in-collective");
  EXPECT_EQ(findings[0].severity, Severity::problem);
  EXPECT_EQ(findings[0].subject, "rank 1, process group 0 (default_pg)");
  EXPECT_EQ(findings[0].evidence,
            "ranks 0, 2 wait in collective 2 (all_reduce of [1024, 8] Float, called at train.py:90 "
            "(step)), which rank 1 has not entered. The last one of rank 1 is 1 (all_reduce, "
            "completed, called at train.py:89 (step)).");
}

TEST(Calls, NameARankThatNeverMadeOne) {
  auto dump = dump_of({});
  dump["pg_config"] = Json::object();
  Dumps dumps = dumps_of({{kDone, kOpen}, {kDone, kOpen}});
  ASSERT_FALSE(dumps.add("trace_2", dump.dump()).has_value());

  const auto findings = examine(dumps);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "missing-in-collective");
  EXPECT_THAT(findings[0].subject, HasSubstr("rank 2,"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("Rank 2's dump has no call of this group."));
}

TEST(Calls, NameTheRankWithoutADump) {
  const auto findings = examine(dumps_of({{kDone, kOpen}, {kDone, kOpen}}));

  EXPECT_THAT(findings,
              ElementsAre(AllOf(Field(&Finding::rule, "no-dump"),
                                Field(&Finding::severity, Severity::problem),
                                Field(&Finding::subject, "rank 2, process group 0 (default_pg)"))));
}

TEST(Calls, ClaimLittleWhereMostDumpsAreMissing) {
  const auto findings = examine(dumps_of({{kDone, kOpen}}, 8));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::warning);
  EXPECT_LT(findings[0].confidence, .5);
}

TEST(Calls, ThatDifferNameTheOddRank) {
  auto other = kOpen;
  other.operation = "nccl:broadcast";

  const auto findings = examine(dumps_of({{kDone, kOpen}, {kDone, kOpen}, {kDone, other}}));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "calls-differ");
  EXPECT_EQ(findings[0].subject, "rank 2, process group 0 (default_pg)");
  EXPECT_THAT(findings[0].evidence, AllOf(HasSubstr("ranks 0-1: all_reduce of [1024, 8] Float"),
                                          HasSubstr("; rank 2: broadcast of")));
}

TEST(Calls, OfOtherSizesOrTypesNameTheOddRank) {
  auto smaller = kOpen, half = kOpen, reshaped = kOpen;
  smaller.sizes[0][0] = 512;
  half.type = "Half";
  reshaped.sizes[0] = {8192};
  for (const auto& odd : {smaller, half}) {
    const auto findings = examine(dumps_of({{kOpen}, {odd}, {kOpen}}));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].rule, "tensors-differ");
    EXPECT_EQ(findings[0].subject, "rank 1, process group 0 (default_pg)");
  }
  EXPECT_EQ(examine(dumps_of({{kOpen}, {reshaped}, {kOpen}}))[0].rule, "collective-does-not-end");
}

TEST(Calls, WithPartsOfEachRankMayDiffer) {
  auto one = kDone, other = kDone;
  one.operation = other.operation = "nccl:all_to_all";
  other.sizes[0] = {7};

  EXPECT_THAT(examine(dumps_of({{one}, {other}, {one}})), IsEmpty());
}

TEST(Calls, ThatDifferedAndEndedAreAWarning) {
  auto odd = kDone;
  odd.type = "Half";

  const auto findings = examine(dumps_of({{kDone}, {odd}, {kDone}}));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::warning);
}

TEST(Calls, OfAllRanksPointAtTheNetwork) {
  const auto findings = examine(dumps_of({{kDone, kOpen}, {kDone, kOpen}, {kDone, kOpen}}));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "collective-does-not-end");
  EXPECT_EQ(findings[0].subject, "collective 2, process group 0 (default_pg)");
  EXPECT_THAT(findings[0].advice, HasSubstr("network"));
}

TEST(Calls, NameTheRankWhoseGpuHasNotBegun) {
  auto queued = kOpen;
  queued.state = "scheduled";

  const auto findings = examine(dumps_of({{kOpen}, {kOpen}, {queued}}));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence, HasSubstr("It has not started on rank 2: its GPU"));
}

TEST(Calls, OfSeveralGroupsShowWhoWaitsForWhom) {
  auto inner = kOpen;
  inner.group = "1";

  const auto findings = examine(dumps_of({{kDone, inner}, {kDone, kOpen}, {kDone, kOpen}}));

  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].evidence,
              HasSubstr("Meanwhile rank 0 waits in collective 2 (all_reduce) of process group 1."));
  EXPECT_THAT(findings[1].evidence, HasSubstr("Meanwhile rank 1 waits in collective 2"));
  EXPECT_THAT(findings[0].advice, HasSubstr("in the same order"));
}

TEST(Calls, NameASendThatNobodyReceives) {
  const CallMade send{.sequence = 1, .operation = "nccl:send 0->1", .state = "started"};
  const CallMade receive{.sequence = 1, .operation = "nccl:recv 1<-0", .state = "started"};

  const auto findings = examine(dumps_of({{send}, {kDone}, {kDone}}));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "unmatched-send");
  EXPECT_THAT(findings[0].evidence, HasSubstr("Rank 0 sends to rank 1 (1 open"));
  EXPECT_THAT(examine(dumps_of({{send}, {receive}, {kDone}})), IsEmpty());
  auto received = receive;
  received.state = "completed";
  EXPECT_THAT(examine(dumps_of({{send}, {received}, {kDone}})), IsEmpty());
}

TEST(Dumps, TakeTheRankFromTheName) {
  EXPECT_EQ(rank_of_dump("/tmp/nccl_trace_rank_12"), 12);
  EXPECT_EQ(rank_of_dump("trace_3.json"), 3);
  EXPECT_EQ(rank_of_dump("7.pickle"), 7);
  EXPECT_EQ(rank_of_dump("trace"), -1);
  EXPECT_EQ(rank_of_dump("trace_12345678901234567890"), -1);
}

TEST(Dumps, RefuseWhatIsNone) {
  Dumps dumps;

  EXPECT_THAT(dumps.add("rank_0", "{}").value_or(""), HasSubstr("neither entries nor pg_config"));
  EXPECT_THAT(dumps.add("rank_0", "text").value_or(""), HasSubstr("neither JSON nor a pickle"));
  EXPECT_THAT(dumps.add("trace", dump_of({}).dump()).value_or(""), HasSubstr("end in a rank"));
  EXPECT_FALSE(dumps.add("rank_0", dump_of({}).dump()).has_value());
  EXPECT_THAT(dumps.add("other_0", dump_of({}).dump()).value_or(""), HasSubstr("a dump already"));
  EXPECT_THAT(dumps.add("rank_1", std::string(100, '[') + std::string(100, ']')).value_or(""),
              HasSubstr("too deep"));
}

TEST(HangRules, HaveAnExampleEachButThoseThatRasWords) {
  for (const auto& text : rule_texts())
    if (text.id != "dump-left-out" && !text.id.starts_with("ras-")) {
      EXPECT_THAT(text.example, HasSubstr(": " + std::string(text.id) + ": "));
    }
}

}  // namespace
}  // namespace linerate::hang
