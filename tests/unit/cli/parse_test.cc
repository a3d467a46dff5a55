// What parse_run takes, beyond single options: intents, repeats, p2p_perf, and harnesses' lines.
#include "cli/parse.h"

#include "unit/cli/command_line.h"
#include "unit/cli/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ParseRun, KeepsTheProgramTheCollectiveAndAllWords) {
  const auto config = config_of({"-b", "8"});

  EXPECT_EQ(config.program, "all_reduce_perf");
  EXPECT_EQ(config.collective, &kTestReduce);
  EXPECT_THAT(config.args, ElementsAre("bin/all_reduce_perf", "-b", "8"));
}

TEST(ParseRun, ReadsAllAsEveryTypeEveryOperatorAndEveryRoot) {
  const auto config = config_of({"-d", "all", "-o", "all", "-r", "all"});

  EXPECT_EQ(config.types.size(), kDataTypes.size());
  EXPECT_EQ(config.ops.size(), kRedOps.size());
  EXPECT_EQ(config.root, -1);
}

TEST(ParseRun, ReadsALoadWithItsDefaults) {
  const auto load_of = [](const std::string& text) { return config_of({"--beside", text}).beside; };

  EXPECT_EQ(load_of("gemm").size, 0U);  // the device's own
  EXPECT_EQ(load_of("gemm").text, "gemm");
  EXPECT_EQ(load_of("gemm:1024").size, 1024U);
  EXPECT_EQ(load_of("memory").size, std::size_t{64} << 20);
  EXPECT_EQ(load_of("memory:1G").size, std::size_t{1} << 30);
  EXPECT_EQ(load_of("all_reduce").text, "all_reduce:4M");
  const auto halves = load_of("all_gather_perf:1M:MOD2");
  EXPECT_EQ(halves.text, "all_gather:1M:MOD2");
  EXPECT_EQ(halves.collective, find_collective("all_gather"));
  EXPECT_EQ(halves.size, std::size_t{1} << 20);
  EXPECT_EQ(halves.split.color(3), 1);
}

TEST(ParseRun, GivesHelpBesideAnyOtherRightWord) {
  EXPECT_EQ(parse({"-h"})->intent, Intent::help);
  EXPECT_EQ(parse({"-b", "x", "--help"})->intent, Intent::help);
}

TEST(ParseRun, GivesHelpBesideWhatIsWrong) {
  for (const Words& words : {Words{"-h", "--foo"}, Words{"--foo", "-h"}, Words{"--help", "8"},
                             Words{"-b", "8", "-h", "-b"}, Words{"--list", "-h", "--list=5"}}) {
    const auto parsed = parse(words);

    ASSERT_TRUE(parsed) << parsed.sentence();
    EXPECT_EQ(parsed->intent, Intent::help);
  }
  EXPECT_THAT(sentence_of({"-b", "-h"}), HasSubstr("-b/--minbytes '-h' is not a size"));
  EXPECT_THAT(sentence_of({"--minbytes", "--help"}), HasSubstr("'--help' is not a size"));
}

TEST(ParseRun, ListsWhatDiffersFromTheDefaults) {
  const auto parsed =
      parse({"-b", "8", "-n", "5", "-n20", "-e64", "-f", "1", "--dry-run", "--list"},
            {{"NCCL_TESTS_SPLIT", "MOD2"}, {"NCCL_TESTS_ALLTOALLV_SPREAD", "1"}});

  ASSERT_TRUE(parsed) << parsed.sentence();
  EXPECT_THAT(parsed->changed, ElementsAre("NCCL_TESTS_SPLIT=MOD2", "-b 8", "-e 64"));
}

TEST(ParseRun, GivesTheVersion) { EXPECT_EQ(parse({"--version"})->intent, Intent::version); }

TEST(ParseRun, TakesTheLastOfContradictingValues) {
  EXPECT_EQ(config_of({"-n", "5", "--iters=7", "-n9"}).iters, 9u);
}

TEST(ParseRun, ChecksValuesThatALaterOneReplaces) {
  EXPECT_THAT(sentence_of({"-n", "x", "-n", "5"}), HasSubstr("-n/--iters 'x'"));
}

TEST(ParseRun, TakesTheGpuDefaultsThatHarnessesPass) {
  const Words words{"-G", "0", "-p", "0", "-R", "0", "-y", "0", "-D", "0", "-V", "16", "-x", "-1"};

  EXPECT_THAT(changed_fields(config_of(words)), IsEmpty());
}

TEST(ParseRun, TakesTheLineOfCloudai) {
  const Words words{"--nthreads",      "1",     "--ngpus",      "2",  "--minbytes", "32M",
                    "--maxbytes",      "64M",   "--stepbytes",  "1M", "--op",       "sum",
                    "--datatype",      "float", "--root",       "0",  "--iters",    "20",
                    "--warmup_iters",  "5",     "--agg_iters",  "1",  "--average",  "1",
                    "--parallel_init", "0",     "--check",      "1",  "--blocking", "0",
                    "--cudagraph",     "0",     "--stepfactor", "2"};

  EXPECT_EQ(sentence_of(words), "");
}

TEST(ParseRun, ReadsAWordBehindAnOptionAsItsValueEvenWithADash) {
  EXPECT_THAT(sentence_of({"-b", "-e"}), HasSubstr("-b/--minbytes '-e' is not a size"));
}

TEST(ParseRun, GivesP2pPerfItsOwnOptionsAndDefaults) {
  const auto parsed = parse_run(p2p_call({"--at-once", "-e", "64M", "--csv", "x"}), Environment{});

  ASSERT_TRUE(parsed) << parsed.sentence();
  EXPECT_TRUE(parsed->config.at_once);
  EXPECT_EQ(parsed->config.min_bytes, 8u);
  EXPECT_EQ(parsed->config.csv_file, "x");
  EXPECT_EQ(parsed->config.max_bytes, std::size_t{64} << 20);
}

TEST(ParseRun, RefusesInP2pPerfWhatItHasNoUseFor) {
  for (const std::string word : {"-o", "-f", "-d", "-r", "-J", "-G", "--stop", "--sync"}) {
    const auto parsed = parse_run(p2p_call({word, "1"}), Environment{});

    ASSERT_FALSE(parsed) << word;
    EXPECT_THAT(parsed.sentence(), HasSubstr("p2p_perf has no " + word));
  }
}

TEST(ParseRun, RefusesP2pOptionsInCollectives) {
  EXPECT_THAT(sentence_of({"--at-once"}), HasSubstr("belongs to p2p_perf"));
}

}  // namespace
}  // namespace linerate
