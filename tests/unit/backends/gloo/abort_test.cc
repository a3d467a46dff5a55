// Calls that wait in Gloo end when their communicator is aborted, or when a peer is.
#include "backends/gloo/failure.h"
#include "base/error.h"
#include "ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace linerate::gloo {
namespace {

using ::testing::HasSubstr;

// A call that ends only if all ranks take part.
void block(const Rank& rank, OpKind kind) {
  std::vector<std::byte> bytes(8192);
  const auto n = static_cast<std::size_t>(rank.comm.nranks());
  const std::vector<Range> ranges(n, Range{.offset = 0, .count = 16});
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

class BlockedCall : public ::testing::TestWithParam<OpKind> {};

TEST_P(BlockedCall, EndsWithPeerFailureWhenAPeerAborts) {
  std::atomic<int> failures = 0;

  run_ranks(3, [&](Rank rank) {
    if (rank.comm.rank() == 0) rank.comm.abort();
    EXPECT_THROW(block(rank, GetParam()), PeerFailure);
    ++failures;
    rank.member.barrier({});  // all communicators live until here
  });

  EXPECT_EQ(failures, 3);
}

TEST_P(BlockedCall, EndsWithPeerFailureWhenAnotherThreadAbortsIt) {
  std::atomic<int> arrived = 0;

  run_ranks(3, [&](Rank rank) {
    if (rank.comm.rank() == 0) {
      while (arrived < 2) std::this_thread::yield();  // the other ranks' aborters are on their way
      return rank.member.barrier({});
    }
    std::thread aborter([&] {
      const auto before = rank.comm.calls_begun();
      ++arrived;
      while (rank.comm.calls_begun() == before) std::this_thread::yield();
      rank.comm.abort();
    });
    while (arrived < 2) std::this_thread::yield();
    EXPECT_THROW(block(rank, GetParam()), PeerFailure);
    aborter.join();
    rank.member.barrier({});  // rank 0's connections were open until here
  });
}

INSTANTIATE_TEST_SUITE_P(Gloo, BlockedCall,
                         ::testing::Values(OpKind::all_reduce, OpKind::all_gather,
                                           OpKind::reduce_scatter, OpKind::broadcast,
                                           OpKind::scatter, OpKind::all_to_all,
                                           OpKind::all_to_all_v, OpKind::recv, OpKind::send_recv),
                         [](const auto& instance) {
                           return std::string(linerate::name_of(instance.param));
                         });

// As the watch does it, on every rank: Gloo tells nobody of a connection that breaks within a
// message.
TEST(Abort, EndsACallAtAnyMomentOfAMessage) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  constexpr std::int64_t kStepNs = 2'000'000;
  const SteadyClock clock;

  for (int round = 0; round < 12; ++round)
    run_ranks(2, [&](Rank rank) {
      std::vector<std::byte> bytes(kBytes);
      const Buffers buffers{.send = bytes, .recv = bytes, .count = kBytes, .type = DataType::uint8};
      rank.comm.barrier();
      std::thread aborter([&] {
        const auto end_ns = clock.now_ns() + round * kStepNs;
        while (clock.now_ns() < end_ns) std::this_thread::yield();
        rank.comm.abort();
      });
      const auto move = [&] {
        if (rank.comm.rank() == 0) rank.comm.send(buffers, 1, rank.stream);
        if (rank.comm.rank() == 1) rank.comm.recv(buffers, 0, rank.stream);
      };
      EXPECT_THROW(
          {
            while (true) move();
          },
          PeerFailure);
      aborter.join();
    });
}

TEST(Abort, RefusesLaterCallsAlsoWhereNobodyIsWaitedFor) {
  run_ranks(1, [](Rank rank) {
    rank.comm.abort();

    EXPECT_THROW(block(rank, OpKind::all_reduce), Aborted);
    EXPECT_THROW(block(rank, OpKind::send_recv), Aborted);
    EXPECT_THROW(rank.comm.barrier(), Aborted);
  });
}

TEST(Abort, OfASplitLeavesTheWorldAlone) {
  run_ranks(2, [](Rank rank) {
    const auto part = rank.comm.split(0, 0);

    part->abort();

    EXPECT_THROW(part->barrier(), Aborted);
    rank.comm.barrier();
  });
}

TEST(LostPeer, IsSaidInGloosWordsWithoutItsSources) {
  run_ranks(2, [](Rank rank) {
    if (rank.comm.rank() == 0) return;  // closes its connections
    try {
      for (;;) rank.comm.barrier();
    } catch (const PeerFailure& failure) {
      EXPECT_THAT(failure.what(), HasSubstr("Gloo: barrier was cut off: "));
      EXPECT_THAT(failure.what(), ::testing::Not(HasSubstr(".cc")));
    }
  });
}

TEST(WithoutSource, LeavesWhatGlooSays) {
  EXPECT_EQ(without_source("[a/pair.cc:598] Connection closed by peer [::1]:4711"),
            "Connection closed by peer [::1]:4711");
  EXPECT_EQ(without_source("[enforce fail at a/device.cc:87] ifa != nullptr. Unable to find: x "),
            "Unable to find: x");
  EXPECT_EQ(without_source("[enforce fail at a/math.h:1] count > 0. "), "count > 0. ");
  EXPECT_EQ(without_source("std::bad_alloc"), "std::bad_alloc");
}

}  // namespace
}  // namespace linerate::gloo
