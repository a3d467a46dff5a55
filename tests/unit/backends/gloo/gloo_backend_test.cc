// The gloo backend beside the conformance cases: splits, calls with oneself, sizes that split.
#include "backends/gloo/mesh.h"
#include "base/error.h"
#include "ranks.h"
#include "support/naive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace linerate::gloo {
namespace {

using ::testing::HasSubstr;

TEST(GlooCalls, GiveTheRightBytesInEveryKindTypeAndOperator) {
  run_ranks(5, [](Rank rank) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{3000}})
      naive::for_each_trial(rank.comm.nranks(), count, [&](const naive::Trial& trial) {
        EXPECT_EQ(naive::difference(rank.comm, rank.stream, trial).value_or(""), "");
      });
  });
}

// More segments than are under way at once, the last one short.
TEST(GlooCalls, ReduceScatterOfLargeBlocksGoesInSegments) {
  run_ranks(3, [](Rank rank) {
    for (const auto op : {RedOp::sum, RedOp::avg, RedOp::mulsum})
      for (const bool in_place : {false, true})
        EXPECT_EQ(
            naive::difference(
                rank.comm, rank.stream,
                {.kind = OpKind::reduce_scatter, .op = op, .count = 700'001, .in_place = in_place})
                .value_or(""),
            "");
  });
}

TEST(GlooCalls, WithItselfAreCopiesOrRefused) {
  run_ranks(1, [](Rank rank) {
    std::vector<std::byte> from(8, std::byte{7});
    std::vector<std::byte> to(8);
    const Buffers buffers{.send = from, .recv = to, .count = 8, .type = DataType::uint8};

    rank.comm.send_recv(buffers, 0, 0, rank.stream);

    EXPECT_EQ(to, from);
    EXPECT_THROW(rank.comm.send(buffers, 0, rank.stream), Error);
  });
}

TEST(GlooSplit, OrdersRanksByKeyThenByRankAndLeavesOutTheUncoloured) {
  run_ranks(4, [](Rank rank) {
    const int old = rank.comm.rank();

    const auto reversed = rank.comm.split(old == 1 ? -1 : 0, -old);

    EXPECT_EQ(reversed == nullptr, old == 1);
    if (!reversed) return;
    EXPECT_EQ(reversed->nranks(), 3);
    EXPECT_EQ(reversed->rank(), old == 0 ? 2 : 3 - old);
    EXPECT_EQ(naive::difference(*reversed, rank.stream, {.count = 20}).value_or(""), "");
  });
}

TEST(GlooSplit, NestsDownToOneRank) {
  run_ranks(4, [](Rank rank) {
    const auto half = rank.comm.split(rank.comm.rank() % 2, 0);
    const auto alone = half->split(half->rank(), 0);

    EXPECT_EQ(alone->nranks(), 1);
    alone->barrier();
    half->barrier();
  });
}

TEST(GlooSplit, CommunicatorsOfOneRankWorkAtOnceFromSeveralThreads) {
  run_ranks(2, [](Rank rank) {
    const auto one = rank.comm.split(0, 0);
    const auto two = rank.comm.split(0, -rank.comm.rank());
    const auto stream = rank.comm.device().stream();
    const auto repeat = [](Communicator& comm, Stream& on) {
      for (int i = 0; i < 50; ++i)
        EXPECT_EQ(naive::difference(comm, on, {.count = 3000}).value_or(""), "");
    };

    std::thread other([&] { repeat(*one, *stream); });
    repeat(*two, rank.stream);
    other.join();
  });
}

// The lower address waits for the higher one to connect.
TEST(Mesh, ConnectingEndsAtTheDeadlineAndNamesTheRank) {
  const SteadyClock clock;
  const auto own = [](const char* address, int rank) {
    const auto attributes = ::gloo::transport::tcp::CreateDeviceAttr({address});
    return GroupRank{std::make_shared<TcpDevice>(attributes), rank, 2};
  };
  Mesh waits(own("127.0.0.1", 0), Deadline::after(clock, 0.1));
  Mesh silent(own("127.0.0.2", 1), {});

  try {
    waits.connect(std::vector{waits.addresses(), silent.addresses()});
    FAIL() << "connected";
  } catch (const TimeoutError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 0 waited in vain for rank 1"));
  }
}

TEST(GlooBackend, SaysWhatItIs) {
  const SteadyClock clock;
  const auto backend = make_gloo_backend(clock, {});

  EXPECT_THAT(backend->version(), HasSubstr("Gloo "));
  EXPECT_TRUE(backend->capabilities().abortable);
}

}  // namespace
}  // namespace linerate::gloo
