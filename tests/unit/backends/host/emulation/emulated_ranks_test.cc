// Ranks in threads on an emulated network: right data whatever runs, and no wait without an end.
#include "backends/host/emulation/network.h"
#include "base/error.h"
#include "unit/backends/host/ranks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace linerate::host {
namespace {

constexpr int kRanks = 4;
constexpr std::size_t kCount = 3000;  // two pages: beyond eager and inline sizes

Ranks emulated(AddressSpace space, double latency_us) {
  const NetworkPlan plan{.nodes = 2,
                         .ranks_per_node = 2,
                         .nic = {.gbps = 10, .latency_us = latency_us},
                         .local = LinkRate{.gbps = 100, .latency_us = 0.1}};
  return {.nranks = kRanks,
          .address_space = space,
          .options = {.network = std::make_shared<const Network>(plan)}};
}

struct Room {
  Buffer send, recv;

  Room(Communicator& comm, std::int32_t value)
      : send(comm.allocate(kCount * 4, MemoryKind::host)),
        recv(comm.allocate(kCount * 4 * kRanks, MemoryKind::host)) {
    for (std::size_t i = 0; i < kCount; ++i)
      std::memcpy(send.view().data() + 4 * i, &value, sizeof(value));
  }
  Buffers buffers() const {
    return {.send = send.view(), .recv = recv.view(), .count = kCount, .type = DataType::int32};
  }
  std::int32_t at(std::size_t element) const {
    std::int32_t value = 0;
    std::memcpy(&value, recv.view().data() + 4 * element, sizeof(value));
    return value;
  }
};

class EmulatedRanks : public testing::TestWithParam<AddressSpace> {};

TEST_P(EmulatedRanks, ReduceRightByEveryAlgorithm) {
  run_ranks(emulated(GetParam(), 1), [](Rank rank) {
    const Room room(rank.comm, rank.comm.rank() + 1);
    for (const std::string_view name : rank.comm.inspector().algorithms(OpKind::all_reduce)) {
      rank.comm.inspector().use_algorithm(name);
      rank.comm.all_reduce(room.buffers(), {}, rank.stream);
      EXPECT_EQ(room.at(kCount - 1), 1 + 2 + 3 + 4) << name;
    }
  });
}

TEST_P(EmulatedRanks, ExchangeAndSendInSplitGroupsToo) {
  run_ranks(emulated(GetParam(), 1), [](Rank rank) {
    const auto half = rank.comm.split(rank.comm.rank() % 2, 0);
    const int other = 1 - half->rank();
    const Room room(*half, rank.comm.rank());

    half->all_gather(room.buffers(), rank.stream);
    EXPECT_EQ(room.at(kCount), 2 + rank.comm.rank() % 2);

    half->send_recv(room.buffers(), other, other, rank.stream);
    EXPECT_EQ(room.at(0), (rank.comm.rank() + 2) % kRanks);
  });
}

// A latency of 1000 s: whoever waits for its end does so until the abort.
TEST_P(EmulatedRanks, StopWaitingWhenOneAborts) {
  EXPECT_THROW(run_ranks(emulated(GetParam(), 1e9),
                         [](Rank rank) {
                           const Room room(rank.comm, 1);
                           if (rank.comm.rank() == 3) throw Error("rank 3 gives up");
                           rank.comm.send_recv(room.buffers(), (rank.comm.rank() + 1) % 3,
                                               (rank.comm.rank() + 2) % 3, rank.stream);
                         }),
               Error);
}

TEST_P(EmulatedRanks, AreRefusedWhereThereAreMoreThanPlaces) {
  Ranks ranks = emulated(GetParam(), 1);
  ranks.nranks = kRanks + 1;

  try {
    run_ranks(ranks, [](Rank) { FAIL() << "must not run"; });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "5 ranks do not fit on the emulated network of 2 nodes x 2 ranks.");
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
  }
}

INSTANTIATE_TEST_SUITE_P(Host, EmulatedRanks,
                         testing::Values(AddressSpace::shared, AddressSpace::separate),
                         [](const auto& instance) {
                           return instance.param == AddressSpace::shared ? "Threads" : "Processes";
                         });

}  // namespace
}  // namespace linerate::host
