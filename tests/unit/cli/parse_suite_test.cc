// What a suite's command line becomes: the runs of its tools.
#include "cli/parse.h"
#include "unit/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<ParsedRun> parse_suite(Words words, Variables variables = {}) {
  return parse_run({.command = Command::suite, .program = "linerate", .args = {}, .words = words},
                   Environment(std::move(variables)));
}

std::vector<std::string> programs(const Result<ParsedRun>& parsed) {
  std::vector<std::string> names;
  for (const auto& run : parsed->runs) names.push_back(run.program);
  return names;
}

const RunConfig& run_named(const Result<ParsedRun>& parsed, std::string_view program) {
  for (const auto& run : parsed->runs)
    if (run.program == program) return run;
  throw std::invalid_argument("no such run");
}

TEST(SuiteRuns, AreAllCollectivesWhereNoneIsNamed) {
  const auto parsed = parse_suite({"-b", "8", "-e", "1K", "-f", "2"});

  ASSERT_TRUE(parsed) << parsed.sentence();
  ASSERT_EQ(parsed->runs.size(), all_collectives().size());
  for (std::size_t i = 0; i < parsed->runs.size(); ++i) {
    EXPECT_EQ(parsed->runs[i].collective, all_collectives()[i]);
    EXPECT_EQ(parsed->runs[i].program, all_collectives()[i]->binary);
    EXPECT_EQ(parsed->runs[i].max_bytes, 1024u);
  }
  EXPECT_EQ(parsed->config.collective, nullptr);
}

TEST(SuiteRuns, AreThoseNamedInTheirOrderByAnyName) {
  const auto parsed = parse_suite({"--collectives", "reduce,alltoall,all_gather_perf"});

  ASSERT_TRUE(parsed) << parsed.sentence();
  EXPECT_THAT(programs(parsed), ElementsAre("reduce_perf", "alltoall_perf", "all_gather_perf"));
}

TEST(SuiteRuns, RefuseNamesThatAreNoneOrTwice) {
  EXPECT_THAT(parse_suite({"--collectives", "all_reduc"}).sentence(),
              HasSubstr("Did you mean 'all_reduce'?"));
  EXPECT_THAT(parse_suite({"--collectives", "alltoall,all_to_all"}).sentence(),
              HasSubstr("names all_to_all twice"));
  EXPECT_THAT(parse_suite({"--collectives", "all_reduce,all"}).sentence(),
              HasSubstr("all stands for every"));
  EXPECT_FALSE(parse_suite({"--collectives", "all_reduce,"}));
}

TEST(SuiteRuns, OfThePairsTakeTheOptionsOfP2pPerfAndItsSizes) {
  const auto parsed = parse_suite({"--collectives", "all_reduce", "--pairs", "-n", "7", "-o", "max",
                                   "-t", "4", "--stop", "max=1s"});

  ASSERT_TRUE(parsed) << parsed.sentence();
  EXPECT_THAT(programs(parsed), ElementsAre("all_reduce_perf", "p2p_perf"));
  const auto& pairs = parsed->runs.back();
  EXPECT_EQ(pairs.collective, nullptr);
  EXPECT_EQ(pairs.iters, 7u);
  EXPECT_EQ(pairs.nthreads, 4);
  EXPECT_EQ(pairs.min_bytes, 8u);
  EXPECT_EQ(pairs.max_bytes, std::size_t{32} << 20);
  EXPECT_FALSE(pairs.stop.asked());
}

TEST(SuiteRuns, OfThePairsBelongToTheSuitesStudyAndTurns) {
  const auto parsed = parse_suite(
      {"--pairs"}, {{"LINERATE_STUDY", "s:2/3/1.5"}, {"LINERATE_TURNS", "127.0.0.1:5"}});

  for (const auto* program : {"all_reduce_perf", "p2p_perf"}) {
    const auto& run = run_named(parsed, program);
    EXPECT_EQ(run.study, "s");
    EXPECT_EQ(run.repetition, 2);
    EXPECT_EQ(run.repetitions, 3);
    EXPECT_EQ(run.repetition_s, 1.5);
    EXPECT_EQ(run.turns, "127.0.0.1:5");
  }
}

TEST(SuiteRuns, OfThePairsTakeTheSweepsEndsWhereTheyAreGiven) {
  const auto parsed = parse_suite({"--pairs", "-b", "64", "-e", "1M", "-f", "2"});

  EXPECT_EQ(run_named(parsed, "p2p_perf").min_bytes, 64u);
  EXPECT_EQ(run_named(parsed, "p2p_perf").max_bytes, std::size_t{1} << 20);
}

TEST(SuiteRuns, ForceAnAlgorithmOnlyWhereThereIsAChoice) {
  const auto parsed = parse_suite({"--algo", "ring", "--pairs"});

  ASSERT_TRUE(parsed) << parsed.sentence();
  EXPECT_EQ(run_named(parsed, "all_reduce_perf").algorithm, "ring");
  EXPECT_EQ(run_named(parsed, "hypercube_perf").algorithm, "");
  EXPECT_EQ(run_named(parsed, "p2p_perf").algorithm, "");
  EXPECT_THAT(parse_suite({"--algo", "ring", "--collectives", "hypercube"}).sentence(),
              HasSubstr("leave it out"));
}

TEST(SuiteRuns, WriteAReportEach) {
  const auto parsed = parse_suite({"-J", "out/Run.JSON", "--jsonl", "run.jsonl"});

  EXPECT_EQ(run_named(parsed, "all_reduce_perf").json_file, "out/Run.all_reduce.JSON");
  EXPECT_EQ(run_named(parsed, "all_reduce_perf").jsonl_file, "run.jsonl");
}

TEST(SuiteRuns, LeaveALimitOutForPairsThatHaveNoBound) {
  const auto host = parse_suite({"--pairs", "--fail-below", "0.5"});
  const auto fake = parse_suite({"--pairs", "--fail-below", "0.5", "--backend", "fake"});

  EXPECT_FALSE(run_named(host, "p2p_perf").fail_below.has_value());
  EXPECT_EQ(run_named(fake, "p2p_perf").fail_below, 0.5);
  EXPECT_EQ(run_named(host, "reduce_perf").fail_below, 0.5);
}

TEST(SuiteRuns, RefuseWhatOneOfThemCannotDo) {
  EXPECT_THAT(parse_suite({"-D", "1", "-R", "2"}).sentence(),
              HasSubstr("all_gather_perf has no device-side kernels"));
  EXPECT_THAT(parse_suite({"-N", "0"}).sentence(), HasSubstr("for ever"));
  EXPECT_THAT(parse_suite({"-b", "2", "-e", "1"}).sentence(), HasSubstr("is above -e"));
  EXPECT_THAT(parse_suite({"--at-once"}).sentence(), HasSubstr("it belongs to p2p_perf"));
}

TEST(SuiteRuns, OfAToolAreThatOne) {
  const auto parsed = parse({"-b", "8"});

  ASSERT_EQ(parsed->runs.size(), 1u);
  EXPECT_EQ(parsed->runs.front().collective, &kTestReduce);
  EXPECT_THAT(sentence_of({"--collectives", "all_reduce"}),
              HasSubstr("it belongs to linerate suite"));
}

}  // namespace
}  // namespace linerate
