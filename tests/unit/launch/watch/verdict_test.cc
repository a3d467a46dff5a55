// Who is missing, from statuses written by hand, and the one report that all processes draw from
// the losses they hear of.
#include "launch/watch/verdict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ThreadStatus stage(std::uint64_t counter, const char* what, double since_s = 10.2) {
  return {.counter = counter,
          .entered_ns = static_cast<std::int64_t>(since_s * 1e9),
          .bytes = 1048576,
          .what = what,
          .collective = "all_reduce",
          .placement = "out of place"};
}

// A job of one node per process; each process has `nthreads` threads of one rank.
struct Job {
  explicit Job(int nprocesses, int nthreads = 1) {
    for (int p = 0; p < nprocesses; ++p) {
      ControlProcess process;
      process.process = process.node = p;
      process.first_rank = p * nthreads;
      process.nthreads = nthreads;
      process.hostname = fmt::format("node{:02}", p);
      process.pid = 4710 + p;
      processes.push_back(process);
      const auto threads = static_cast<std::size_t>(nthreads);
      statuses.push_back({.answered = true,
                          .left = false,
                          .threads = std::vector<ThreadStatus>(threads, stage(3, "timed loop")),
                          .unlinked = {}});
    }
  }
  void silence(int process) { statuses[static_cast<std::size_t>(process)] = {}; }
  std::vector<LostProcess> missing() const {
    return missing_ranks({.origin = 0, .processes = processes, .statuses = statuses});
  }

  std::vector<ControlProcess> processes;
  std::vector<ProcessStatus> statuses;
};

std::vector<int> ranks_of(const std::vector<LostProcess>& losses) {
  std::vector<int> ranks;
  for (const auto& loss : losses) ranks.insert(ranks.end(), loss.ranks.begin(), loss.ranks.end());
  return ranks;
}

TEST(MissingRanks, AreTheThreadsThatEnteredTheFewestStages) {
  Job job(3, 2);
  job.statuses[1].threads[1] = stage(2, "warm-up");

  const auto losses = job.missing();

  ASSERT_EQ(losses.size(), 1u);
  EXPECT_THAT(losses[0].ranks, ElementsAre(3));
  EXPECT_EQ(losses[0].sentence,
            "rank 3 (node01, pid 4711) is missing from all_reduce, 1048576 bytes, out of place, "
            "timed loop: the others wait since 10.2 s; it is in stage warm-up");
}

TEST(MissingRanks, AreSaidToHaveBegunNothingWhereThatIsSo) {
  Job job(2);
  job.statuses[1].threads[0] = {};

  const auto losses = job.missing();

  EXPECT_THAT(losses[0].sentence, HasSubstr("; it has begun no stage"));
}

TEST(MissingRanks, AreNamedWithTheirCaseWhereItDiffers) {
  Job job(2);
  job.statuses[1].threads[0] = stage(2, "verification");
  job.statuses[1].threads[0].bytes = 8;

  const auto losses = job.missing();

  EXPECT_THAT(losses[0].sentence,
              HasSubstr("it is in stage all_reduce, 8 bytes, out of place, verification"));
}

TEST(MissingRanks, AreThoseOfASilentProcessAndNotThoseThatMayWaitForIt) {
  Job job(5);
  job.silence(3);
  job.statuses[2].threads[0] = stage(2, "warm-up");

  const auto losses = job.missing();

  EXPECT_THAT(ranks_of(losses), ElementsAre(3));
  EXPECT_THAT(losses[0].sentence, HasSubstr("it does not answer"));
}

TEST(MissingRanks, IncludeThoseThatAreCertainlyBehindASilentProcess) {
  Job job(5);
  job.silence(3);
  job.statuses[3].threads = {stage(3, "timed loop")};  // seen in the node's memory
  job.statuses[2].threads[0] = stage(2, "warm-up");

  const auto losses = job.missing();

  EXPECT_THAT(ranks_of(losses), ElementsAre(3, 2));
  EXPECT_THAT(losses[0].sentence, HasSubstr("last seen in all_reduce, 1048576 bytes"));
}

TEST(MissingRanks, AreNotThoseThatNobodyCouldAsk) {
  Job job(8);
  for (const int process : {1, 3, 6, 7}) job.silence(process);
  job.statuses[0].unlinked = {7};

  const auto losses = job.missing();

  // 7 hears from 0, 3 and 6 only: one cannot ask it and two are silent themselves.
  EXPECT_THAT(ranks_of(losses), ElementsAre(1, 3, 6));
}

TEST(MissingRanks, AreNotThoseThatLeft) {
  Job job(3);
  job.statuses[2] = {.answered = true, .left = true, .threads = {}, .unlinked = {}};
  job.statuses[1].threads[0] = stage(2, "warm-up");

  EXPECT_THAT(ranks_of(job.missing()), ElementsAre(1));
}

TEST(MissingRanks, AreThoseThatBeganTheFewestCallsWhereAllAreInOneStage) {
  Job job(3, 2);
  for (auto& status : job.statuses)
    for (auto& thread : status.threads) thread.calls = 40;
  job.statuses[2].threads[0].calls = 39;

  const auto losses = job.missing();

  ASSERT_EQ(losses.size(), 1u);
  EXPECT_THAT(losses[0].ranks, ElementsAre(4));
  EXPECT_EQ(losses[0].sentence,
            "rank 4 (node02, pid 4712) is missing from all_reduce, 1048576 bytes, out of place, "
            "timed loop: the others wait since 10.2 s; it has begun 39 calls of this stage, "
            "others 40");
}

TEST(MissingRanks, AreNotToldByCallsWhereStagesDiffer) {
  Job job(3);
  job.statuses[0].threads[0] = stage(3, "wait for other pairs");
  job.statuses[1].threads[0].calls = 12;

  EXPECT_THAT(ranks_of(job.missing()), testing::IsEmpty());
}

TEST(MissingRanks, AreNoneWhereAllHangInTheSameStage) {
  const Job job(4);

  const auto losses = job.missing();

  ASSERT_EQ(losses.size(), 1u);
  EXPECT_TRUE(losses[0].ranks.empty());
  EXPECT_EQ(losses[0].sentence,
            "no rank is missing, but none has ended all_reduce, 1048576 bytes, out of place, timed "
            "loop: all have been in it since 10.2 s");
}

TEST(Death, IsNamedWithAllRanksOfTheProcess) {
  const Job job(2, 4);

  const auto loss = death(job.processes[1], 0, stage(1, "warm-up"));

  EXPECT_EQ(loss.sentence,
            "ranks 4-7 (node01, pid 4711) died during all_reduce, 1048576 bytes, out of place, "
            "warm-up");
}

using testing::ElementsAre;

LostProcess lost(LostProcessKind kind, int process, int origin = 0) {
  return {.kind = kind, .origin = origin, .process = process, .ranks = {process}, .sentence = {}};
}

std::vector<int> processes_of(const LostProcesses& losses) {
  std::vector<int> processes;
  for (const auto& loss : losses.verdict()) processes.push_back(loss.process);
  return processes;
}

TEST(LostProcesses, AreNewOnceOnly) {
  LostProcesses losses;

  EXPECT_TRUE(losses.add(lost(LostProcessKind::died, 1, 3)));
  EXPECT_FALSE(losses.add(lost(LostProcessKind::died, 1, 3)));
  EXPECT_FALSE(losses.add(lost(LostProcessKind::died, 1, 5)));
  EXPECT_TRUE(losses.add(lost(LostProcessKind::died, 1, 0)));
}

TEST(LostProcesses, BlameTheDeadBeforeTheFailedBeforeTheMissing) {
  LostProcesses losses;

  losses.add(lost(LostProcessKind::missing, 4));
  losses.add(lost(LostProcessKind::failed, 3));
  EXPECT_THAT(processes_of(losses), ElementsAre(3));
  losses.add(lost(LostProcessKind::died, 2));
  losses.add(lost(LostProcessKind::died, 1));

  EXPECT_THAT(processes_of(losses), ElementsAre(1, 2));
}

TEST(LostProcesses, TakeTheLowestOriginsViewOfWhoIsMissing) {
  LostProcesses losses;

  losses.add(lost(LostProcessKind::missing, 6, 3));
  losses.add(lost(LostProcessKind::missing, 5, 2));
  losses.add(lost(LostProcessKind::missing, 4, 2));

  EXPECT_THAT(processes_of(losses), ElementsAre(5, 4));
}

TEST(LostProcesses, YieldTheSameVerdictInAnyOrderOfArrival) {
  std::vector<LostProcess> news{
      lost(LostProcessKind::died, 1, 0), lost(LostProcessKind::died, 1, 2),
      lost(LostProcessKind::died, 4, 3), lost(LostProcessKind::failed, 2, 2)};
  const auto by_origin = [](const LostProcess& a, const LostProcess& b) {
    return std::tie(a.kind, a.process, a.origin) < std::tie(b.kind, b.process, b.origin);
  };
  std::ranges::sort(news, by_origin);

  do {
    LostProcesses losses;
    for (const auto& loss : news) losses.add(loss);
    EXPECT_THAT(processes_of(losses), ElementsAre(1, 4));
    EXPECT_EQ(losses.verdict()[0].origin, 0);
  } while (std::next_permutation(news.begin(), news.end(), by_origin));
}

}  // namespace

}  // namespace linerate
