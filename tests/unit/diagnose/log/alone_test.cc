// Programs of which each process says that it is the only one.
#include "diagnose/log/report.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kBanners[] = {
    " running on    1 total cores",
    "     Parallel version (MPI), running on     1 processors",
    "     Number of MPI processes:                 1",
    "Using 1 MPI process",
    "nProcs : 1",
    " GLOBAL| Total number of message passing processes                    1",
    "Info: Running on 1 processors, 1 nodes, 1 physical nodes."};

const std::string kFatalEnd = "srun: error: n4: task 3: Exited with exit code 1\n";

std::string line(std::string_view text) { return std::string(text) + "\n"; }

TEST(LogAlone, IsEachOfSeveralProcessesThatSaySo) {
  for (const auto banner : kBanners) {
    const auto report = read_log("mixing\n" + line(banner) + "stirring\n" + line(banner));
    ASSERT_THAT(report.findings, ::testing::SizeIs(1)) << banner;
    EXPECT_EQ(report.findings[0].rule, "ranks-alone") << banner;
    EXPECT_EQ(report.findings[0].severity, Severity::warning) << banner;
    EXPECT_THAT(report.findings[0].evidence, HasSubstr("(job.log:2, 2 times)")) << banner;
    EXPECT_THAT(report.findings[0].advice, HasSubstr("ldd PROGRAM | grep mpi")) << banner;
  }
}

TEST(LogAlone, IsNoneWithOneBannerNorWithMoreRanks) {
  for (const auto banner : kBanners) {
    EXPECT_THAT(read_log(line(banner)).findings, IsEmpty()) << banner;
    const auto many = line(replaced(std::string(banner), " 1", " 16"));
    EXPECT_THAT(read_log(many + many).findings, IsEmpty()) << many;
  }
}

TEST(LogAlone, IsNoRunAfterAnother) {
  const auto banner = line(kBanners[1]);
  EXPECT_THAT(read_log(banner + "stir\nbake\nserve\n" + banner).findings, IsEmpty());
  EXPECT_THAT(read_logs({{"a.log", banner}, {"b.log", banner}}).findings, IsEmpty());
  EXPECT_THAT(read_log(line(kBanners[1]) + line(kBanners[2])).findings, IsEmpty());
}

TEST(LogAlone, LeavesErrorsToOtherRules) {
  const auto error = line("ERROR: Number of MPI processes: 1 is not enough");
  EXPECT_EQ(read_log(error + kFatalEnd).findings.at(0).rule, "error-line");
}

TEST(LogAlone, IsSeenInLinesThatProcessesWriteInto) {
  const auto torn = line("distr:  one band on    1 cor distr:  one band on    1 cor distr:  one b");

  EXPECT_EQ(read_log(line(kBanners[0]) + torn).findings.at(0).rule, "ranks-alone");
  EXPECT_THAT(read_log(line(" running on    4 total cores") + torn).findings, IsEmpty());
  EXPECT_THAT(
      read_log(line(kBanners[0]) + line("distr:  one band on    1 cores,    1 groups")).findings,
      IsEmpty());
}

TEST(LogAlone, IsRankZeroOfNcclsTestsWithoutOthers) {
  const std::string zero = "#  Rank  0 Group  0 Pid   77 on   n4 device  0 [0000:07:00] X\n";
  const auto one = replaced(zero, "Rank  0", "Rank  1");

  EXPECT_EQ(read_log(zero + "# x\n" + zero).findings.at(0).rule, "ranks-alone");
  EXPECT_THAT(read_log(zero + one + zero + one).findings, IsEmpty());
  EXPECT_THAT(read_log(zero + "#\n#\n# Avg bus bandwidth    : 7.5\n" + zero).findings, IsEmpty());
}

std::string members(std::initializer_list<int> ranks, int nranks) {
  std::string text;
  for (const int rank : ranks)
    text += fmt::format(
        "LOCAL_RANK: {0} - CUDA_VISIBLE_DEVICES: [0,1]\n"
        "initializing ddp: GLOBAL_RANK: {0}, MEMBER: {1}/{2}\n",
        rank, rank + 1, nranks);
  return text;
}

TEST(LogMembers, ThatHaveTheSameRankAreNotedWhereTheLogEndsThere) {
  const auto report = read_log(members({0, 1, 0, 1}, 4));
  ASSERT_THAT(report.findings, ::testing::SizeIs(1));
  EXPECT_EQ(report.findings[0].rule, "rank-twice");
  EXPECT_EQ(report.findings[0].severity, Severity::info);
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("only ranks 0-1 of 4 came"));
}

TEST(LogMembers, OfWhichEachCameOnceAreNone) {
  for (const auto& log :
       {members({1, 0, 3, 2}, 4), members({0, 1}, 4), members({0, 0}, 1),
        members({0, 0, 1, 1, 2, 2, 3, 3}, 4), members({0, 1, 0}, 4), members({0, 1, 0, 1}, 2),
        members({0, 1, 0, 1}, 4) + replaced("xxxxxxxxxx", "x", "Epoch\n")})
    EXPECT_THAT(read_log(log).findings, IsEmpty()) << log;
}

TEST(LogMembers, OfStartsFarApartAreNone) {
  const auto node = members({0, 1}, 4), between = replaced("xxxxxxxxxxxxxxxx", "x", "Epoch\n");
  EXPECT_THAT(read_log(node + between + node).findings, IsEmpty());
  EXPECT_THAT(read_logs({{"a", node}, {"b", node}}).findings, IsEmpty());
}

}  // namespace
}  // namespace linerate::logs
