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
    " running    1 mpi-ranks, with    4 threads/rank, on    9 nodes",
    "     Parallel version (MPI), running on     1 processors",
    "     Number of MPI processes:                 1",
    "  1 by 1 by 1 MPI processor grid",
    "Using 1 MPI process",
    " starting wrf task            0  of            1",
    "nProcs : 1",
    " GLOBAL| Total number of message passing processes                    1",
    "Info: Running on 1 processors, 1 nodes, 1 physical nodes.",
    "world_size: 1",
    "WORLD_SIZE=1",
    "Process rank: 0, world size: 1, device: cuda:9"};

std::string line(std::string_view text) { return std::string(text) + "\n"; }

TEST(LogAlone, IsEachOfSeveralProcessesThatSaySo) {
  for (const auto banner : kBanners) {
    const auto report = read_log("mixing\n" + line(banner) + "stirring\n" + line(banner));
    ASSERT_THAT(report.findings, ::testing::SizeIs(1)) << banner;
    EXPECT_EQ(report.findings[0].rule, "ranks-alone") << banner;
    EXPECT_EQ(report.findings[0].severity, Severity::problem) << banner;
    EXPECT_THAT(report.findings[0].evidence, HasSubstr("(job.log:2, 2 times)")) << banner;
    EXPECT_THAT(report.findings[0].advice, HasSubstr("ldd PROGRAM | grep mpi")) << banner;
  }
}

TEST(LogAlone, IsNoneWithOneBannerNorWithMoreRanks) {
  for (const auto banner : kBanners) {
    EXPECT_THAT(read_log(line(banner)).findings, IsEmpty()) << banner;
    if (banner.ends_with("grid")) continue;
    const auto many = line(replaced(replaced(std::string(banner), " 1", " 16"), "=1", "=16"));
    EXPECT_THAT(read_log(many + many).findings, IsEmpty()) << many;
  }
  const auto grid = line("  1 by 1 by 4 MPI processor grid"),
             wide = replaced(grid, "1 by", "11 by");
  EXPECT_THAT(read_log(grid + grid + wide + wide).findings, IsEmpty());
  EXPECT_THAT(read_log(line("LOCAL_WORLD_SIZE=1") + line("LOCAL_WORLD_SIZE=1")).findings,
              IsEmpty());
}

TEST(LogAlone, IsNoRunAfterAnother) {
  const auto banner = line(kBanners[4]);
  EXPECT_THAT(read_log(banner + std::string(40, '\n') + banner).findings, IsEmpty());
  EXPECT_THAT(read_log(banner + "Total wall time: 0:00:07\n" + banner).findings, IsEmpty());
  EXPECT_THAT(read_logs({{"a.log", banner}, {"b.log", banner}}).findings, IsEmpty());
  EXPECT_THAT(read_log(line(kBanners[2]) + line(kBanners[3])).findings, IsEmpty());
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
  EXPECT_THAT(read_log(zero + "# Avg bus bandwidth    : 7.5\n" + zero).findings, IsEmpty());
}

TEST(LogAlone, GoesOnWithoutBeingSurvived) {
  const auto banner = line(kBanners[4]);
  const auto report = read_log(banner + banner + "step 1\nstep 2\nstep 3\nstep 4\n");

  EXPECT_EQ(report.findings.at(0).severity, Severity::problem);
}

}  // namespace
}  // namespace linerate::logs
