// What runs say of their bound, and where they have none.
#include "commands/bound_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::HasSubstr;

struct Outcome {
  ExitCode code;
  std::string said;
};

Outcome judge(const RunConfig& config, std::optional<double> least, std::string_view why = "") {
  RunTotals totals;
  totals.least_efficiency = least;
  testing::internal::CaptureStderr();
  const auto code = judged_by_bound(config, totals, why);
  return {code, testing::internal::GetCapturedStderr()};
}

RunConfig wanting(std::optional<double> share, bool lists = false) {
  RunConfig config;
  config.collective = find_collective("all_reduce");
  config.fail_below = share;
  config.lists_verdicts = lists;
  return config;
}

TEST(BoundVerdicts, FailBelowTheShareThatIsWanted) {
  EXPECT_EQ(judge(wanting(0.9), 0.8).code, ExitCode::finding);
  EXPECT_EQ(judge(wanting(0.9), 0.9).code, ExitCode::ok);
  EXPECT_EQ(judge(wanting({}), 0.1).code, ExitCode::ok);
}

TEST(BoundVerdicts, SayWhyThereAreNoneWhereTheyAreWanted) {
  const auto limited = judge(wanting(0.9), {}, "nobody was there");
  const auto listed = judge(wanting({}, true), {}, "nobody was there");
  const auto neither = judge(wanting({}), {}, "nobody was there");

  EXPECT_EQ(limited.code, ExitCode::unavailable);
  EXPECT_THAT(limited.said, HasSubstr("--fail-below: nothing was judged: nobody was there."));
  EXPECT_EQ(listed.code, ExitCode::ok);
  EXPECT_THAT(listed.said, HasSubstr("--verdict: nothing was judged: nobody was there"));
  EXPECT_EQ(neither.said, "");
}

TEST(BoundVerdicts, OfPairsAndWithoutExpectationsHaveReasonsOfTheirOwn) {
  auto off = wanting({}, true);
  off.expects = false;
  auto pairs = wanting(0.5);
  pairs.collective = nullptr;

  EXPECT_THAT(judge(off, {}).said, HasSubstr("--expect off"));
  EXPECT_THAT(judge(pairs, {}).said, HasSubstr("pairs of ranks are judged in one host's memory"));
  EXPECT_THAT(judge(wanting(0.5), {}).said, HasSubstr("these calls and sizes"));
}

TEST(RunsWithoutABound, NameWhatNobodyKnows) {
  EXPECT_THAT(why_unjudged({.backend = "mpi", .transport = "ucx", .nranks = 8, .nnodes = 2}),
              HasSubstr("2 hosts is their network's, and how mpi (ucx) uses it"));
  EXPECT_THAT(why_unjudged({.backend = "gloo", .transport = "TCP", .nranks = 8, .nnodes = 2}),
              HasSubstr("2 hosts is their network's, and it could not be probed"));
  EXPECT_THAT(why_unjudged({.transport = "TCP", .nranks = 8, .nnodes = 2, .ngroups = 2}),
              HasSubstr("2 groups of ranks share the network of 2 hosts"));
  EXPECT_THAT(why_unjudged({.backend = "host", .nranks = 4, .nnodes = 1, .ngroups = 4}),
              HasSubstr("each of the 4 groups is one rank alone"));
  EXPECT_THAT(why_unjudged({.nranks = 1, .nnodes = 1}), HasSubstr("one rank alone"));
  EXPECT_THAT(why_unjudged({.transport = "TCP", .nranks = 2000, .nnodes = 2}),
              HasSubstr("more than 1024 ranks"));
}

}  // namespace
}  // namespace linerate
