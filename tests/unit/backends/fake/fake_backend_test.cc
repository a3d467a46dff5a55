// The fake backend: right bytes, reproducible stamps, and each fault where it was asked for.
#include "backends/fake/fake_backend.h"

#include "base/error.h"
#include "support/naive.h"
#include "support/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;

using Rank = RankOfBackend;

void run_fake(const FakeOptions& options, int nranks, const std::function<void(Rank&)>& body) {
  const auto backend = make_fake_backend(options);
  run_ranks(*backend, nranks, body);
}

void all_reduce(Rank& rank, std::size_t count) {
  std::vector<std::byte> data(count * sizeof(float));
  rank.comm.all_reduce({.send = data, .recv = data, .count = count}, {}, rank.stream);
}

// Every rank's stamps after each of `ncalls` calls of several kinds.
std::vector<std::vector<std::int64_t>> stamps(const FakeOptions& options, int nranks, int ncalls) {
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(nranks));
  run_fake(options, nranks, [&](Rank& rank) {
    auto& mine = all[static_cast<std::size_t>(rank.number())];
    for (int call = 0; call < ncalls; ++call) {
      naive::difference(rank.comm, rank.stream,
                        {.kind = static_cast<OpKind>(call % 12), .count = 3 + std::size_t(call)});
      mine.push_back(rank.now_ns());
      if (call % 5 == 0) rank.comm.barrier();
      mine.push_back(rank.now_ns());
    }
  });
  return all;
}

class FakeRanks : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, FakeRanks, ::testing::Values(1, 2, 3, 4, 5));

TEST_P(FakeRanks, GetTheRightBytesInEveryKindTypeAndOperator) {
  const int nranks = GetParam();
  std::atomic<std::size_t> ntrials{0};

  run_fake({}, nranks, [&](Rank& rank) {
    for (const std::size_t count : {0u, 1u, 7u, 100u})
      ntrials += naive::for_each_trial(nranks, count, [&](const naive::Trial& trial) {
        const auto wrong = naive::difference(rank.comm, rank.stream, trial);
        EXPECT_FALSE(wrong) << *wrong;
      });
  });

  constexpr std::size_t kTrials = 4 * 12 * (3 * 6 * 2 + 5 * 2 + 4);
  EXPECT_EQ(ntrials, static_cast<std::size_t>(nranks) * kTrials);
}

TEST(NaiveExpectation, IsNotMetByNaN) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  for (const RedOp op : {RedOp::sum, RedOp::avg}) {
    EXPECT_TRUE(naive::matches({.op = op}, 1.5, 1.5));
    EXPECT_FALSE(naive::matches({.op = op}, kNaN, 1.5));
  }
}

TEST(FakeClock, IsTheSameOnEveryRun) {
  const FakeOptions options{.noise = 0.05,
                            .seed = 7,
                            .slow_ranks = {{1, 3.0}},
                            .bimodal = FakeOptions::Bimodal{.fraction = 0.2, .factor = 3}};

  const auto first = stamps(options, 4, 60);

  for (int run = 0; run < 5; ++run) EXPECT_EQ(stamps(options, 4, 60), first);
}

TEST(FakeClock, IsAnotherForAnotherSeed) {
  FakeOptions options{.noise = 0.05, .seed = 1};
  const auto first = stamps(options, 3, 12);
  options.seed = 2;

  EXPECT_NE(stamps(options, 3, 12), first);
}

TEST(FakeClock, StandsStillBetweenCalls) {
  run_fake({}, 2, [](Rank& rank) {
    const auto before = rank.now_ns();
    auto buffer = rank.comm.allocate(1 << 20, MemoryKind::host);
    rank.device.fill(buffer.view(), {});

    EXPECT_EQ(rank.now_ns(), before);
  });
}

TEST(FakeClock, MovesByTheClosedForm) {
  run_fake({.alpha_us = 10, .link_gbps = 1}, 4, [](Rank& rank) {
    all_reduce(rank, 2000);

    EXPECT_EQ(rank.now_ns(), 2 * 3 * (10 + 2) * 1000);
  });
}

TEST(FakeBarrier, SetsAllClocksToTheLatest) {
  std::vector<std::int64_t> after(3);

  run_fake({.alpha_us = 100}, 3, [&](Rank& rank) {
    if (rank.number() < 2)
      naive::call(rank.comm, rank.stream, {.kind = OpKind::send}, {.kind = OpKind::send});
    rank.comm.barrier();
    after[static_cast<std::size_t>(rank.number())] = rank.now_ns();
  });

  EXPECT_EQ(after, (std::vector<std::int64_t>(3, 201'000)));
}

TEST(FakeSlowRank, LeavesBarriersLateAndHoldsUpTheOthers) {
  std::vector<std::int64_t> entry(4), exit(4);

  run_fake({.alpha_us = 10, .link_gbps = 1, .slow_ranks = {{3, 38}}}, 4, [&](Rank& rank) {
    const auto me = static_cast<std::size_t>(rank.number());
    rank.comm.barrier();
    entry[me] = rank.now_ns();
    all_reduce(rank, 2000);
    exit[me] = rank.now_ns();
  });

  EXPECT_EQ(entry[3] - entry[0], 38'000);
  EXPECT_EQ(entry[1], entry[0]);
  EXPECT_EQ(exit[0] - entry[3], 72'000);
}

// Two ranks with a link of 1 GB/s and 10 us: an all_reduce of S bytes takes 2 (10 us + S/2 per GB).
constexpr FakeOptions kTenUs{.alpha_us = 10, .link_gbps = 1};

TEST(FakeAsyncStreams, OverlapInVirtualTime) {
  std::vector<std::int64_t> took(2);

  run_fake(kTenUs, 2, [&](Rank& rank) {
    const auto part = rank.comm.split(0, rank.number());
    const auto one = rank.device.open_stream(StreamKind::async);
    const auto other = rank.device.open_stream(StreamKind::async);
    std::vector<std::byte> large(80'000), small(20'000);
    const auto start = rank.now_ns();

    rank.comm.all_reduce({.send = large, .recv = large, .count = 20'000}, {}, *one);
    part->all_reduce({.send = small, .recv = small, .count = 5'000}, {}, *other);
    one->synchronize(Deadline::never());
    other->synchronize(Deadline::never());

    took[static_cast<std::size_t>(rank.number())] = rank.now_ns() - start;
  });

  EXPECT_EQ(took, (std::vector<std::int64_t>(2, 100'000)));  // not 100 + 40 us
}

TEST(FakeAsyncStreams, TakeTheSumWhereOneWaitsForTheOthersEvent) {
  std::vector<double> between(2);
  std::vector<std::int64_t> took(2);

  run_fake(kTenUs, 2, [&](Rank& rank) {
    const auto part = rank.comm.split(0, rank.number());
    const auto one = rank.device.open_stream(StreamKind::async);
    const auto other = rank.device.open_stream(StreamKind::async);
    std::vector<std::byte> large(80'000), small(20'000);
    const auto me = static_cast<std::size_t>(rank.number());
    const auto start = rank.now_ns();

    rank.comm.all_reduce({.send = large, .recv = large, .count = 20'000}, {}, *one);
    const Event first = one->record();
    other->wait(first);
    part->all_reduce({.send = small, .recv = small, .count = 5'000}, {}, *other);
    const Event second = other->record();
    other->synchronize(Deadline::never());

    took[me] = rank.now_ns() - start;
    between[me] = elapsed_us(first, second);
  });

  EXPECT_EQ(took, (std::vector<std::int64_t>(2, 140'000)));
  EXPECT_EQ(between, (std::vector<double>(2, 40.0)));
}

// What a rank lost after a barrier, some calls and messages.
std::vector<std::int64_t> losses(const FakeOptions& options) {
  std::vector<std::int64_t> lost(4);
  run_fake(options, 4, [&](Rank& rank) {
    rank.comm.barrier();
    all_reduce(rank, 2000);
    std::vector<std::byte> data(4000);
    const Buffers buffers{.send = data, .recv = data, .count = 1000};
    if (rank.number() == 0) rank.comm.send(buffers, 1, rank.stream);
    if (rank.number() == 1) rank.comm.recv(buffers, 0, rank.stream);
    lost[static_cast<std::size_t>(rank.number())] = rank.comm.inspector().modeled_time()->lost_ns();
  });
  return lost;
}

TEST(FakeLosses, AreNoneWithoutFaults) {
  EXPECT_EQ(losses({.alpha_us = 10, .link_gbps = 1}), std::vector<std::int64_t>(4));
}

// A ring of messages of 2 us becomes one of 4; the message from rank 0 to rank 1 takes 8 for 4.
TEST(FakeLosses, AreWhatASlowLinkCosts) {
  const auto lost = losses({.alpha_us = 10, .link_gbps = 1, .slow_links = {{0, 1, 0.5}}});

  EXPECT_EQ(lost, (std::vector<std::int64_t>{12'000 + 4'000, 12'000 + 4'000, 12'000, 12'000}));
}

TEST(FakeLosses, AreWhatASlowRankCostsAll) {
  const auto lost = losses({.alpha_us = 10, .link_gbps = 1, .slow_ranks = {{3, 38}}});

  EXPECT_EQ(lost, (std::vector<std::int64_t>{38'000, 38'000, 38'000, 76'000}));
}

TEST(FakeLosses, CountNoiseAndModes) {
  const auto lost = losses({.bimodal = FakeOptions::Bimodal{.fraction = 1, .factor = 3}});

  for (const auto ns : lost) EXPECT_GT(ns, 0);
}

TEST(FakeSlowLink, HalvesTheBandwidthOfItsPairOnly) {
  std::vector<std::int64_t> took(3);

  run_fake({.alpha_us = 1, .link_gbps = 1, .slow_links = {{0, 1, 0.5}}}, 3, [&](Rank& rank) {
    std::vector<std::byte> data(10'000);
    const Buffers b{.send = data, .recv = data, .count = data.size(), .type = DataType::uint8};
    if (rank.number() == 0) rank.comm.send(b, 1, rank.stream);
    if (rank.number() == 1) rank.comm.recv(b, 0, rank.stream);
    if (rank.number() == 0) took[0] = rank.now_ns();
    rank.comm.barrier();
    const auto before = rank.now_ns();
    if (rank.number() == 0) rank.comm.send(b, 2, rank.stream);
    if (rank.number() == 2) rank.comm.recv(b, 0, rank.stream);
    if (rank.number() == 0) took[2] = rank.now_ns() - before;
  });

  EXPECT_EQ(took[0], 21'000);
  EXPECT_EQ(took[2], 11'000);
}

TEST(FakeNoise, HasTheDeviationThatWasAskedFor) {
  constexpr int kCalls = 2000;
  double sum = 0, squares = 0;

  run_fake({.alpha_us = 100, .noise = 0.05, .seed = 3}, 1, [&](Rank& rank) {
    for (int call = 0; call < kCalls; ++call) {
      const auto before = rank.now_ns();
      all_reduce(rank, 0);
      const double us = static_cast<double>(rank.now_ns() - before) / 1000;
      sum += us;
      squares += us * us;
    }
  });

  const double mean = sum / kCalls;
  EXPECT_NEAR(mean, 100, 0.5);
  EXPECT_NEAR(std::sqrt(squares / kCalls - mean * mean), 5, 0.3);
}

TEST(FakeBimodal, SlowsItsFractionOfTheCallsOnAllRanksAlike) {
  constexpr int kCalls = 1000;
  std::atomic<int> nslow{0};

  run_fake({.alpha_us = 10, .bimodal = FakeOptions::Bimodal{.fraction = 0.2, .factor = 3}}, 2,
           [&](Rank& rank) {
             for (int call = 0; call < kCalls; ++call) {
               const auto before = rank.now_ns();
               all_reduce(rank, 0);
               const auto took = rank.now_ns() - before;
               ASSERT_TRUE(took == 20'000 || took == 60'000) << took;
               if (took == 60'000) ++nslow;
             }
           });

  EXPECT_NEAR(nslow / 2, 200, 40);
}

std::vector<int> wrong_calls(const FakeOptions& options, int culprit) {
  std::vector<int> wrong;
  run_fake(options, 3, [&](Rank& rank) {
    for (int call = 1; call <= 6; ++call) {
      const bool bad = naive::difference(rank.comm, rank.stream, {.count = 50}).has_value();
      if (rank.number() == culprit && bad) wrong.push_back(call);
      if (rank.number() != culprit) {
        EXPECT_FALSE(bad);
      }
    }
  });
  return wrong;
}

TEST(FakeFlip, SpoilsOneCallOfOneRank) {
  EXPECT_EQ(wrong_calls({.flips = {{2, 5}}}, 2), std::vector{5});
}

TEST(FakeFlip, SpoilsEveryCallWhereNoneIsNamed) {
  EXPECT_EQ(wrong_calls({.flips = {{1, 0}}}, 1), (std::vector{1, 2, 3, 4, 5, 6}));
}

TEST(FakeFlip, ShowsInEveryType) {
  for (const auto& type : kDataTypes)
    run_fake({.flips = {{0, 1}}}, 1, [&](Rank& rank) {
      EXPECT_TRUE(naive::difference(rank.comm, rank.stream, {.type = type.type, .op = RedOp::avg}))
          << type.name;
    });
}

TEST(FakeDeath, ThrowsAtItsCallAndNamesTheRank) {
  std::atomic<int> ncalls{0};

  run_fake({.deaths = {{1, 3}}}, 2, [&](Rank& rank) {
    try {
      for (;;) {
        all_reduce(rank, 10);
        ++ncalls;
      }
    } catch (const PeerFailure& failure) {
      if (rank.number() == 1) {
        EXPECT_THAT(failure.what(), HasSubstr("Rank 1 died in its call 3"));
        EXPECT_EQ(failure.ranks(), std::vector{1});
      }
      rank.comm.abort();
    }
  });

  EXPECT_EQ(ncalls, 2 * 2);
}

TEST(FakeHang, KeepsTheRankOutUntilAnAbortAndTheOthersInsideTheCall) {
  std::atomic<int> naborted{0};
  std::vector<int> ncalls(3);

  run_fake({.hangs = {{1, 4}}}, 3, [&](Rank& rank) {
    try {
      for (;;) {
        all_reduce(rank, 10);
        if (++ncalls[static_cast<std::size_t>(rank.number())] == 3 && rank.number() == 2)
          rank.comm.abort();
      }
    } catch (const Aborted&) {
      ++naborted;
    }
  });

  EXPECT_EQ(naborted, 3);
  EXPECT_LE(*std::max_element(ncalls.begin(), ncalls.end()), 3);
}

TEST(FakeSplit, OrdersByKeyAndLeavesOutTheUncoloured) {
  run_fake({}, 5, [](Rank& rank) {
    const int color = rank.number() == 4 ? -1 : rank.number() % 2;
    const auto part = rank.comm.split(color, -rank.number());

    if (rank.number() == 4) {
      EXPECT_EQ(part, nullptr);
      return;
    }
    EXPECT_EQ(part->nranks(), 2);
    EXPECT_EQ(part->rank(), rank.number() < 2 ? 1 : 0);
    const auto wrong = naive::difference(*part, rank.stream, {.count = 20});
    EXPECT_FALSE(wrong) << *wrong;
  });
}

TEST(FakeSplit, KeepsTheNamesThatFaultsGoBy) {
  std::atomic<int> nwrong{0};

  run_fake({.flips = {{3, 0}}}, 4, [&](Rank& rank) {
    const auto part = rank.comm.split(rank.number() / 2, 0);
    if (naive::difference(*part, rank.stream, {.count = 20})) nwrong += 1 + rank.number();
  });

  EXPECT_EQ(nwrong, 4);
}

TEST(FakeCommunicator, SaysWhichRanksDisagree) {
  std::mutex mutex;
  std::vector<std::string> sentences;

  run_fake({}, 2, [&](Rank& rank) {
    try {
      all_reduce(rank, rank.number() == 0 ? 4 : 5);
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      sentences.emplace_back(error.what());
    }
  });

  ASSERT_EQ(sentences.size(), 2u);
  for (const auto& sentence : sentences)
    EXPECT_THAT(sentence, HasSubstr("rank 0 all_reduce of 4 float with root 0, rank 1"));
}

TEST(FakeCommunicator, RefusesABufferThatIsTooSmall) {
  run_fake({}, 1, [](Rank& rank) {
    std::vector<std::byte> data(3);

    EXPECT_THROW(rank.comm.all_reduce({.send = data, .recv = data, .count = 1}, {}, rank.stream),
                 Error);
  });
}

}  // namespace
}  // namespace linerate
