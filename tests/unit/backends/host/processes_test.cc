// The host backend between real processes, with one or several threads each.
#include "processes.h"

#include "ranks.h"
#include "support/naive.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace linerate::host {
namespace {

void expect_every_call_right(Rank rank, std::size_t count) {
  naive::for_each_trial(rank.comm.nranks(), count, [&](const naive::Trial& trial) {
    if (trial.type != DataType::int32 && trial.type != DataType::bfloat16) return;
    const auto difference = naive::difference(rank.comm, rank.stream, trial);
    EXPECT_EQ(difference.value_or(""), "");
  });
}

class Processes : public testing::TestWithParam<int> {};

TEST_P(Processes, RunEveryCall) {
  run_processes(GetParam(), [](Bootstrap& process) {
    run_ranks_of(process, {.nranks = 1}, [](Rank rank) {
      expect_every_call_right(rank, 5);
      expect_every_call_right(rank, 1031);
    });
  });
}

TEST_P(Processes, RunEveryCallOnPrivateMemory) {
  run_processes(GetParam(), [](Bootstrap& process) {
    run_ranks_of(process, {.nranks = 1, .options = {.attach_bytes = 1}}, [](Rank rank) {
      for (int k = 0; k <= static_cast<int>(OpKind::send_recv); ++k) {
        const naive::Trial trial{.kind = static_cast<OpKind>(k),
                                 .type = DataType::int32,
                                 .count = 70'001,
                                 .root = rank.comm.nranks() / 2};
        EXPECT_EQ(naive::difference(rank.comm, rank.stream, trial).value_or(""), "");
      }
    });
  });
}

TEST_P(Processes, WithThreadsRunEveryCall) {
#if defined(LINERATE_TSAN)
  GTEST_SKIP() << "ThreadSanitizer does not see that two threads are ordered by another process";
#endif
  run_processes(GetParam(), [](Bootstrap& process) {
    run_ranks_of(process, {.nranks = 2}, [](Rank rank) {
      expect_every_call_right(rank, 1031);
      const auto half = rank.comm.split(rank.comm.rank() % 2, 0);
      expect_every_call_right({*half, rank.device, rank.stream}, 300);
    });
  });
}

TEST_P(Processes, ReachEachOthersBuffersWithoutStaging) {
  run_processes(GetParam(), [](Bootstrap& process) {
    run_ranks_of(process, {.nranks = 1}, [](Rank rank) {
      const Buffer send = rank.comm.allocate(1 << 20, MemoryKind::host);
      const Buffer recv = rank.comm.allocate(1 << 20, MemoryKind::host);
      std::ranges::fill(send.view(), std::byte{1});

      rank.comm.all_reduce({send.view(), recv.view(), 1 << 20, DataType::uint8}, {}, rank.stream);

      EXPECT_EQ(recv.view().front(), static_cast<std::byte>(rank.comm.nranks()));
      EXPECT_EQ(recv.view().back(), static_cast<std::byte>(rank.comm.nranks()));
      EXPECT_EQ(rank.comm.inspector().transport(), "shared memory");
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Host, Processes, testing::Values(1, 2, 3, 4),
                         testing::PrintToStringParamName());

TEST(FailedProcess, FailsItsTestAlsoWhereTheOthersWaitForIt) {
  EXPECT_NONFATAL_FAILURE(run_processes(3,
                                        [](Bootstrap& process) {
                                          if (process.rank() == 1) throw Error("not this time");
                                          process.barrier(Deadline::never());
                                        }),
                          "a process ended with the status 256");
}

TEST(LostProcess, DoesNotKeepTheOthersFromLeavingAfterAnAbort) {
  run_processes(3, [](Bootstrap& process) {
    run_ranks_of(process, {.nranks = 1}, [](Rank rank) {
      std::vector<std::byte> bytes(100'000);
      const Buffers whole{bytes, bytes, bytes.size() / 4};
      rank.comm.all_reduce(whole, {}, rank.stream);
      if (rank.comm.rank() == 1) _exit(0);
      // The other two stand for a rank that waits, and for the watch that notices the loss.
      if (rank.comm.rank() == 2) rank.comm.abort();
      EXPECT_THROW(rank.comm.all_reduce(whole, {}, rank.stream), Aborted);
    });
  });
}

// With a clock that stands still, waiting for the lost one's part in the call has no end.
TEST(LostProcess, IsNotWaitedForWhereItWasInTheCall) {
  SKIP_UNLESS_ATTACHING();
  run_processes(3, [](Bootstrap& process) {
    const ManualClock clock;
    run_ranks_of(process, {.nranks = 1, .clock = &clock}, [](Rank rank) {
      std::vector<std::byte> bytes(100'000);
      if (rank.comm.rank() == 1) {
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          _exit(0);
        }).detach();
      } else if (rank.comm.rank() == 2) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return rank.comm.abort();
      }
      EXPECT_THROW(rank.comm.all_reduce({bytes, bytes, bytes.size() / 4}, {}, rank.stream),
                   Aborted);
    });
  });
}

}  // namespace
}  // namespace linerate::host
