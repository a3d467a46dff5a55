// Processes that meet before each generation of a job, here as threads.
#include "launch/rendezvous.h"

#include "base/error.h"
#include "unit/launch/deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kSoonS = 30;

// Some processes of a job, at a port that is free.
class Job3 {
 public:
  Job3() {
    const auto probe = Listener::open({"127.0.0.1", 0});
    identity_ = {.launcher = Launcher::env,
                 .nranks = 3,
                 .master_host = "127.0.0.1",
                 .master_port = probe.address().port,
                 .token = "secret"};
  }

  Rendezvous& process(int number) {
    auto& process = processes_[static_cast<std::size_t>(number)];
    identity_.rank = number;
    if (!process) process = std::make_unique<Rendezvous>(identity_);
    return *process;
  }

  // What they agree on, by process. REQUIRES: `numbers` begins with 0.
  std::vector<Meeting> meet(const std::vector<int>& numbers, const std::vector<Coming>& comings) {
    std::vector<Meeting> meetings(numbers.size());
    for (const int number : numbers) (void)process(number);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      threads.emplace_back(
          [&, i] { meetings[i] = process_at(numbers[i]).meet(comings[i], kSoonS); });
    for (auto& thread : threads) thread.join();
    return meetings;
  }

 private:
  Rendezvous& process_at(int number) { return *processes_[static_cast<std::size_t>(number)]; }

  Identity identity_;
  std::unique_ptr<Rendezvous> processes_[3];
};

TEST(Rendezvous, BeginsWithAll) {
  Job3 job;

  const auto meetings = job.meet({0, 1, 2}, {{}, {}, {}});

  for (const auto& meeting : meetings) {
    EXPECT_EQ(meeting.generation, 0);
    EXPECT_THAT(meeting.processes, ElementsAre(0, 1, 2));
    EXPECT_THAT(meeting.lost, IsEmpty());
  }
  EXPECT_GE(job.process(0).identity_in(meetings[0]).listener_fd, 0);
  const auto last = job.process(2).identity_in(meetings[2]);
  EXPECT_EQ(last.rank, 2);
  EXPECT_EQ(last.master_port, meetings[0].master.port);
  EXPECT_EQ(last.listener_fd, -1);
}

TEST(Rendezvous, GoesOnWithThoseThatAreLeft) {
  Job3 job;
  (void)job.meet({0, 1, 2}, {{}, {}, {}});

  const auto meetings = job.meet({0, 2}, {{.lost = {1}, .steps = 6}, {.steps = 7}});

  for (const auto& meeting : meetings) {
    EXPECT_EQ(meeting.generation, 1);
    EXPECT_THAT(meeting.processes, ElementsAre(0, 2));
    EXPECT_THAT(meeting.lost, ElementsAre(1));
    EXPECT_EQ(meeting.nranks_before, 3);
    EXPECT_EQ(meeting.steps, 7);
  }
  EXPECT_EQ(job.process(2).rank_in(meetings[1]), 1);
}

TEST(Rendezvous, KnowsARankThatDiedAndWhoseProcessIsLeft) {
  Job3 job;
  (void)job.meet({0, 1, 2}, {{}, {}, {}});

  const auto meetings = job.meet({0, 1, 2}, {{.lost = {2}}, {}, {.lost_its_own = true}});

  EXPECT_THAT(meetings[1].processes, ElementsAre(0, 1, 2));
  EXPECT_THAT(meetings[1].lost, ElementsAre(2));
}

TEST(Rendezvous, TakesNobodyForLostWhereMemoryWasShort) {
  Job3 job;
  (void)job.meet({0, 1, 2}, {{}, {}, {}});

  const auto meetings = job.meet({0, 1, 2}, {{}, {.out_of_memory = true}, {}});

  EXPECT_TRUE(meetings[2].out_of_memory);
  EXPECT_EQ(meetings[2].halvings, 1);
  EXPECT_THAT(meetings[2].lost, IsEmpty());
}

TEST(Rendezvous, NamesThoseThatDoNotComeAtFirst) {
  Job3 job;
  std::string said;

  try {
    (void)job.process(0).meet({}, 0.1);
  } catch (const TimeoutError& error) {
    said = error.what();
  }

  EXPECT_THAT(said, HasSubstr("of 3 ranks 1, 2 did not come to 127.0.0.1:"));
}

TEST(Rendezvous, EndsWhereNobodyKeepsTheStore) {
  Job3 job;

  EXPECT_THROW((void)job.process(1).meet({}, 0.1), TimeoutError);
}

}  // namespace
}  // namespace linerate
