// Aborts, barriers and calls that do not match: every rank leaves, and none touches freed memory.
#include "base/error.h"
#include "processes.h"
#include "ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace linerate::host {
namespace {

Buffers floats(std::vector<std::byte>& bytes) { return {bytes, bytes, bytes.size() / 4}; }

// A call that blocks until rank 0 takes part, which it never does.
void block(Rank rank, OpKind kind) {
  std::vector<std::byte> bytes(8192);
  const int n = rank.comm.nranks();
  const std::vector<Range> ranges(static_cast<std::size_t>(n));
  rank.comm.enqueue({.kind = kind,
                     .send = ConstView(bytes),
                     .recv = bytes,
                     .count = 16,
                     .type = DataType::uint8,
                     .peer = 0,
                     .source = 0,
                     .send_ranges = ranges,
                     .recv_ranges = ranges},
                    rank.stream);
}

class BlockedCall : public testing::TestWithParam<OpKind> {};

TEST_P(BlockedCall, IsAbortedWhenAnyRankAborts) {
  std::atomic<int> failures{0};

  run_ranks({.nranks = 3}, [&](Rank rank) {
    if (rank.comm.rank() == 0) return rank.comm.abort();
    EXPECT_THROW(block(rank, GetParam()), Aborted);
    ++failures;
  });

  EXPECT_EQ(failures, 2);
}

INSTANTIATE_TEST_SUITE_P(Host, BlockedCall,
                         testing::Values(OpKind::all_reduce, OpKind::all_gather, OpKind::broadcast,
                                         OpKind::scatter, OpKind::all_to_all, OpKind::all_to_all_v,
                                         OpKind::recv, OpKind::send_recv),
                         [](const auto& instance) {
                           return std::string(linerate::name_of(instance.param));
                         });

TEST(Abort, EndsCallsOnAsyncStreamsAndWhatWaitsForTheirEvents) {
  run_ranks({.nranks = 3}, [](Rank rank) {
    if (rank.comm.rank() == 0) return rank.comm.abort();
    const auto comm = rank.device.open_stream(StreamKind::async);
    const auto compute = rank.device.open_stream(StreamKind::async);
    std::vector<std::byte> bytes(64);
    bool ran = false;

    rank.comm.all_reduce(floats(bytes), {}, *comm);
    compute->wait(comm->record());
    compute->run([&] { ran = true; });

    EXPECT_THROW(compute->synchronize(Deadline::never()), Aborted);
    EXPECT_THROW(comm->synchronize(Deadline::never()), Aborted);
    EXPECT_FALSE(ran);
  });
}

// Rank 1 never makes the calls that it handed to its streams; the others must not wait for it.
TEST(Abort, FollowsTheEndOfACommunicatorWhoseCallsWait) {
  run_ranks({.nranks = 2}, [](Rank rank) {
    auto part = rank.comm.split(0, rank.comm.rank());
    std::vector<std::byte> bytes(64);
    const auto stream = rank.device.open_stream(StreamKind::async);
    if (rank.comm.rank() == 0) {
      part->all_reduce(floats(bytes), {}, *stream);
      EXPECT_THROW(stream->synchronize(Deadline::never()), Aborted);
      return;
    }
    const auto never = rank.device.open_stream(StreamKind::async);
    std::promise<void> go;
    never->run([&] { go.get_future().wait(); });
    stream->wait(never->record());
    part->all_reduce(floats(bytes), {}, *stream);

    part.reset();

    go.set_value();
    never->synchronize(Deadline::never());
    stream->synchronize(Deadline::never());
  });
}

TEST(Abort, NamesTheRankThatAborted) {
  run_ranks({.nranks = 2, .address_space = AddressSpace::separate}, [](Rank rank) {
    if (rank.comm.rank() == 1) return rank.comm.abort();
    try {
      rank.comm.barrier();
      ADD_FAILURE() << "the barrier came back";
    } catch (const PeerFailure& failure) {
      EXPECT_STREQ(failure.what(), "Rank 0 cannot go on: its communicator was aborted by rank 1.");
    }
  });
}

TEST(Abort, RefusesLaterCallsAlsoWhereNobodyIsWaitedFor) {
  run_ranks({.nranks = 1}, [](Rank rank) {
    rank.comm.abort();

    EXPECT_THROW(block(rank, OpKind::all_reduce), Aborted);
    EXPECT_THROW(block(rank, OpKind::send_recv), Aborted);
  });
}

// With a clock that stands still, waiting for the peer's part in a call that never began has no
// end.
TEST(Abort, BeforeACallWaitsForNobody) {
  const ManualClock clock;

  run_ranks({.nranks = 2, .clock = &clock}, [](Rank rank) {
    std::vector<std::byte> bytes(8192);
    rank.comm.all_reduce({bytes, bytes, 2}, {}, rank.stream);
    if (rank.comm.rank() == 1) return;
    rank.comm.abort();
    EXPECT_THROW(rank.comm.all_reduce(floats(bytes), {}, rank.stream), Aborted);
  });
}

TEST(Abort, OfTheWorldEndsItsSplits) {
  run_ranks({.nranks = 2}, [](Rank rank) {
    const auto half = rank.comm.split(0, 0);
    if (rank.comm.rank() == 0) return rank.comm.abort();
    EXPECT_THROW(half->barrier(), Aborted);
  });
}

TEST(Abort, OfASplitLeavesTheWorldAlone) {
  run_ranks({.nranks = 2}, [](Rank rank) {
    const auto half = rank.comm.split(0, 0);
    half->abort();
    EXPECT_THROW(half->barrier(), Aborted);

    rank.comm.barrier();
  });
}

// Buffers are the threads' own memory, freed as soon as the call throws: what another thread still
// wrote to them would be a race, or a write after free, which the sanitizers report.
TEST(Abort, WaitsForThreadsThatStillTouchTheBuffers) {
  for (int round = 0; round < 60; ++round) {
    std::atomic<int> calls{0};
    run_ranks({.nranks = 4}, [&](Rank rank) {
      try {
        for (;;) {
          const auto bytes = std::make_unique<std::vector<std::byte>>(40'000);
          if (++calls > 40 + round && rank.comm.rank() == round % 4) rank.comm.abort();
          rank.comm.all_reduce(floats(*bytes), {}, rank.stream);
          rank.comm.gather({View(*bytes).first(4000), *bytes, 1000}, 0, rank.stream);
        }
      } catch (const PeerFailure&) {
      }
    });
  }
}

// The same of buffers that the kernel writes to for another process, which no sanitizer sees: what
// a peer still wrote after the call has thrown would change them.
TEST(Abort, WaitsForProcessesThatStillWriteToTheBuffers) {
  SKIP_UNLESS_ATTACHING();
  constexpr int kRanks = 4;  // more than cores, so that some are stopped while they write
  const Ranks ranks{
      .nranks = kRanks, .address_space = AddressSpace::separate, .options = {.attach_bytes = 1}};
  for (int round = 0; round < 20; ++round) {
    run_ranks(ranks, [&](Rank rank) {
      std::vector<float> values(std::size_t{1} << 20, 1.0F);
      const auto bytes = std::as_writable_bytes(std::span(values));
      std::thread stopper;
      if (rank.comm.rank() == round % kRanks)
        stopper = std::thread([&] {
          std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
          rank.comm.abort();
        });
      try {
        for (;;) rank.comm.all_reduce({bytes, bytes, values.size()}, {}, rank.stream);
      } catch (const PeerFailure&) {
        const auto seen = values;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_TRUE(values == seen);
      }
      if (stopper.joinable()) stopper.join();
    });
  }
}

TEST(Abort, TakesMessagesBackBeforeTheirBuffersGo) {
  for (int round = 0; round < 100; ++round) {
    run_ranks({.nranks = 2}, [&](Rank rank) {
      try {
        for (int i = 0;; ++i) {
          std::vector<std::byte> out(20'000, std::byte{1});
          std::vector<std::byte> in(20'000);
          if (i == 3 && rank.comm.rank() == round % 2) rank.comm.abort();
          rank.comm.send_recv({out, in, 5000}, 1 - rank.comm.rank(), 1 - rank.comm.rank(),
                              rank.stream);
        }
      } catch (const PeerFailure&) {
      }
    });
  }
}

TEST(Barrier, CanBeRepeatedManyTimes) {
  std::atomic<int> entered{0};

  run_ranks({.nranks = 4}, [&](Rank rank) {
    for (int i = 1; i <= 500; ++i) {
      ++entered;
      rank.comm.barrier();
      ASSERT_GE(entered.load(), 4 * i);
    }
  });
}

TEST(CallsThatDoNotMatch, EndWithASentenceThatNamesBoth) {
  std::string sentence;
  try {
    run_ranks({.nranks = 2}, [](Rank rank) {
      std::vector<std::byte> bytes(4096);
      if (rank.comm.rank() == 0)
        rank.comm.all_reduce(floats(bytes), {}, rank.stream);
      else
        rank.comm.all_reduce(floats(bytes), {.op = RedOp::max}, rank.stream);
    });
  } catch (const Error& error) {
    sentence = error.what();
  }

  EXPECT_NE(sentence.find("all_reduce of 1024 float (sum, root 0, flat)"), std::string::npos)
      << sentence;
  EXPECT_NE(sentence.find("all_reduce of 1024 float (max, root 0, flat)"), std::string::npos)
      << sentence;
}

// Mismatch: the rank in the barrier leaves the group too, and nobody waits 5 s for it.
TEST(CallsThatDoNotMatch, EndAtOnceAlsoInABarrier) {
  const ManualClock clock;  // stands still: what waits by the clock waits for ever
  EXPECT_THROW(run_ranks({.nranks = 2, .clock = &clock},
                         [](Rank rank) {
                           std::vector<std::byte> bytes(4096);
                           if (rank.comm.rank() == 0)
                             rank.comm.all_reduce(floats(bytes), {}, rank.stream);
                           else
                             rank.comm.barrier();
                         }),
               Error);
}

}  // namespace
}  // namespace linerate::host
