// Splitting communicators of the host backend.
#include "backends/host/control.h"
#include "base/error.h"
#include "base/pages.h"
#include "ranks.h"
#include "support/naive.h"
#include "support/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace linerate::host {
namespace {

void expect_sum_of_ones(Communicator& comm, Stream& stream, std::size_t count) {
  std::vector<std::int32_t> values(count, 1);
  const auto bytes = std::as_writable_bytes(std::span(values));
  comm.all_reduce({bytes, bytes, count, DataType::int32}, {}, stream);
  EXPECT_EQ(values.back(), comm.nranks());
}

class Split : public testing::TestWithParam<AddressSpace> {
 protected:
  static Ranks ranks(int nranks) { return {.nranks = nranks, .address_space = GetParam()}; }
};

TEST_P(Split, OrdersRanksByKeyThenByRank) {
  run_ranks(ranks(4), [](Rank rank) {
    const int old = rank.comm.rank();

    const auto reversed = rank.comm.split(0, -old);
    const auto same = rank.comm.split(7, 0);

    EXPECT_EQ(reversed->rank(), 3 - old);
    EXPECT_EQ(same->rank(), old);
    EXPECT_EQ(same->nranks(), 4);
  });
}

TEST_P(Split, GivesNothingToRanksWithoutAColor) {
  run_ranks(ranks(3), [](Rank rank) {
    const auto rest = rank.comm.split(rank.comm.rank() == 1 ? -1 : 5, 0);

    EXPECT_EQ(rest == nullptr, rank.comm.rank() == 1);
    if (!rest) return;
    EXPECT_EQ(rest->nranks(), 2);
    expect_sum_of_ones(*rest, rank.stream, 1000);
  });
}

TEST_P(Split, NestsAndRunsEveryCall) {
  run_ranks(ranks(6), [](Rank rank) {
    const auto half = rank.comm.split(rank.comm.rank() % 2, 0);
    const auto inner = half->split(half->rank() / 2, 0);

    naive::for_each_trial(half->nranks(), 300, [&](const naive::Trial& trial) {
      if (trial.type != DataType::int32) return;
      EXPECT_EQ(naive::difference(*half, rank.stream, trial).value_or(""), "");
    });
    expect_sum_of_ones(*inner, rank.stream, 10);
    expect_sum_of_ones(rank.comm, rank.stream, 2000);
  });
}

TEST_P(Split, CommunicatorsOfOneRankWorkAtOnceFromSeveralThreads) {
  run_ranks(ranks(3), [](Rank rank) {
    const auto one = rank.comm.split(0, 0);
    const auto two = rank.comm.split(0, -rank.comm.rank());
    const auto stream = rank.device.stream();

    std::thread other([&] {
      for (int i = 0; i < 60; ++i) expect_sum_of_ones(*one, *stream, i % 2 == 0 ? 8 : 3000);
    });
    for (int i = 0; i < 60; ++i) expect_sum_of_ones(*two, rank.stream, i % 3 == 0 ? 5000 : 4);
    other.join();
  });
}

TEST_P(Split, CanBeMadeAndDroppedWithoutEnd) {
  constexpr int kFit = 5;  // control blocks in what is left
  const std::size_t taken = 16 * kMiB - kFit * round_up(ControlBlock::bytes(2), 4 * page_bytes());
  const HostOptions kTight{.reserve_bytes = 32 * kMiB};
  run_ranks({.nranks = 2, .address_space = GetParam(), .options = kTight}, [&](Rank rank) {
    const Buffer most = rank.comm.allocate(taken, MemoryKind::host);

    for (int i = 0; i < 3 * kFit; ++i) {
      const auto all = rank.comm.split(0, 0);
      all->barrier();
    }
  });
}

// Takes all memory of the rank's region.
std::vector<Buffer> take_all(Communicator& comm) {
  std::vector<Buffer> taken;
  for (std::size_t bytes = std::size_t{4} << 20; bytes >= 4096;) {
    try {
      taken.push_back(comm.allocate(bytes, MemoryKind::host));
    } catch (const Error&) {
      bytes /= 8;
    }
  }
  return taken;
}

TEST_P(Split, WithoutMemorySaysOnItsLeaderHowMuchIsLeft) {
  const HostOptions kTight{.reserve_bytes = std::size_t{32} << 20};
  std::vector<std::string> sentences(2);

  run_ranks({.nranks = 2, .address_space = GetParam(), .options = kTight}, [&](Rank rank) {
    std::vector<Buffer> taken;
    if (rank.comm.rank() == 0) taken = take_all(rank.comm);
    try {
      (void)rank.comm.split(0, 0);
    } catch (const Error& error) {
      sentences[static_cast<std::size_t>(rank.comm.rank())] = error.what();
    }
  });

  EXPECT_THAT(sentences[0], testing::HasSubstr("are left in one piece"));
  EXPECT_EQ(sentences[1], "Rank 0 has no shared memory left for a new communicator.");
}

INSTANTIATE_TEST_SUITE_P(Host, Split, testing::Values(AddressSpace::shared, AddressSpace::separate),
                         [](const auto& instance) {
                           return instance.param == AddressSpace::shared ? "OneAddressSpace"
                                                                         : "OwnAddressSpaces";
                         });

}  // namespace
}  // namespace linerate::host
