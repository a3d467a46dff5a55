// Processes that die, alone or together, on one node and on several.
#include "unit/launch/watch/watch_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace linerate {
namespace {

using testing::Each;
using testing::Eq;
using testing::HasSubstr;

const std::vector<int> kSevenOnOneNode{0, 0, 0, 0, 0, 0, 0};
const std::vector<int> kThreeNodes{0, 0, 1, 1, 2, 2, 0};

std::vector<int> others_than(const std::vector<int>& victims) {
  std::vector<int> others;
  for (int rank = 0; rank < 7; ++rank)
    if (std::ranges::find(victims, rank) == victims.end()) others.push_back(rank);
  return others;
}

std::set<std::string> different_lines(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

void expect_that_all_name(const std::vector<int>& nodes, const std::vector<int>& victims) {
  ForkedJob job(nodes, [](TestMember& member) { return wait_in_timed_loop(member); });
  ASSERT_THAT(heard(job, {0, 1, 2, 3, 4, 5, 6}), Each(Eq("ready")));

  for (const int victim : victims) job.signal(victim, SIGKILL);

  const auto survivors = others_than(victims);
  std::string sentences;
  for (const int victim : victims)
    sentences += fmt::format(
        "; rank {} (node{}, pid {}) died during all_reduce, 1048576 bytes, "
        "out of place, timed loop",
        victim, nodes[static_cast<std::size_t>(victim)], job.pid(victim));
  EXPECT_THAT(
      heard(job, survivors),
      Each(Eq(fmt::format("ranks {}; timed_out false{}", fmt::join(victims, ","), sentences))));
  for (const int rank : survivors) EXPECT_EQ(job.ended(rank), 4);
  // A victim that outlives another one for a moment may have told of it before it dies itself.
  EXPECT_EQ(different_lines(job.printed()).size(), victims.size()) << job.printed();
}

class DeadProcess : public testing::TestWithParam<std::vector<int>> {};

TEST_P(DeadProcess, IsNamedByAllSurvivorsOfItsNode) {
  expect_that_all_name(kSevenOnOneNode, GetParam());
}

TEST_P(DeadProcess, IsNamedByAllSurvivorsOnOtherNodes) {
  if (!has_network()) GTEST_SKIP() << "no interface but loopback: links between nodes need one";
  expect_that_all_name(kThreeNodes, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Anywhere, DeadProcess,
                         testing::Values(std::vector{0}, std::vector{1}, std::vector{2},
                                         std::vector{6}, std::vector{0, 1}, std::vector{3, 4},
                                         std::vector{0, 2, 5}),
                         [](const auto& instance) {
                           return fmt::format("Rank{}", fmt::join(instance.param, "And"));
                         });

TEST(Watch, NamesAllRanksOfAProcessWithSeveralThreads) {
  ForkedJob job({0, 0}, [](TestMember& member) {
    const auto watch = Watch::start(
        member.bootstrap(),
        {.timeout_s = 0, .nthreads = 2, .ranks_per_thread = 3, .deadline = Deadline::never()});
    watch->enter(1, kTimedLoop);
    member.tell("ready");
    member.tell(await_failure(*watch));
    return 4;
  });
  ASSERT_THAT(heard(job, {0, 1}), Each(Eq("ready")));

  job.signal(1, SIGKILL);

  EXPECT_EQ(job.heard(0),
            fmt::format("ranks 6,7,8,9,10,11; timed_out false; ranks 6-11 (node0, pid "
                        "{}) died during the time before its first stage",
                        job.pid(1)));
}

TEST(Watch, EndsAProcessWhoseThreadsDoNotEnd) {
  ForkedJob job({0, 0}, [](TestMember& member) {
    const auto watch = start_watch(member);
    member.tell("ready");
    member.await();  // the parent never says go
    return 0;
  });
  ASSERT_THAT(heard(job, {0, 1}), Each(Eq("ready")));

  job.signal(1, SIGKILL);

  EXPECT_EQ(job.ended(0), static_cast<int>(ExitCode::lost));
}

TEST(Watch, CallsAnAborterThatComesAfterTheFailure) {
  ForkedJob job({0, 0}, [](TestMember& member) {
    const auto watch = start_watch(member);
    member.tell("ready");
    (void)await_failure(*watch);
    member.tell(await_failure(*watch));
    return 4;
  });
  ASSERT_THAT(heard(job, {0, 1}), Each(Eq("ready")));

  job.signal(1, SIGKILL);

  EXPECT_THAT(job.heard(0), HasSubstr("rank 1"));
}

TEST(Watch, WorksWhereStandardInputAndOutputAreClosed) {
  ForkedJob job({0, 0, 0}, [](TestMember& member) {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(fd);
    return wait_in_timed_loop(member);
  });
  ASSERT_THAT(heard(job, {0, 1, 2}), Each(Eq("ready")));

  job.signal(1, SIGKILL);

  EXPECT_THAT(heard(job, {0, 2}), Each(HasSubstr("rank 1")));
}

}  // namespace
}  // namespace linerate
