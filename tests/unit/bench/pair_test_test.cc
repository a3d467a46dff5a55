// Between two ranks: times on the fake backend's clock, and which message is verified.
#include "bench/pair_test.h"

#include "bench/layout.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kPairBytes = 20'000;  // 2 us at the fake's 10 GB/s
constexpr std::int64_t kLatencyNs = 5'000;
constexpr std::int64_t kBytesNs = 2'000;
constexpr std::uint64_t kIters = 4;

struct PairTrial {
  PairTest test{.kind = PairKind::unidirectional, .source = 0, .dest = 1, .bytes = kPairBytes};
  FakeOptions fake{};
  bool check = true;
  std::size_t memory_bytes = 3 * kPairBytes;  // of a rank
};

// What both ranks saw, as rank 0 of a run keeps it.
PairTiming measure(const PairTrial& run) {
  std::vector<PairTiming> of_ranks(3);
  run_sessions({.nranks = 3, .fake = run.fake}, [&](Session& session) {
    session.allocate(buffer_sizes(kPairBytes, kPairBytes, run.memory_bytes));
    for (auto& timing :
         run_pair_test(session, run.test, {.iters = kIters, .warmup_iters = 1, .check = run.check}))
      of_ranks[static_cast<std::size_t>(session.ranks().front().rank)] = std::move(timing);
  });
  PairTiming all;
  for (auto& timing : of_ranks) merge(all, std::move(timing));
  return all;
}

std::uint64_t wrong(const PairTiming& timing) {
  std::uint64_t sum = 0;
  for (const auto& check : timing.checks) sum += check.wrong;
  return sum;
}

// The numbers of `rank`'s calls in which one wrong bit is found.
std::vector<std::uint64_t> verified_calls(PairTrial run, int rank, std::uint64_t ncalls) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t call = 1; call <= ncalls; ++call) {
    run.fake.flips = {{.rank = rank, .call = call}};
    if (wrong(measure(run)) > 0) found.push_back(call);
  }
  return found;
}

using Calls = std::vector<std::uint64_t>;

// One message to warm up, and a round trip after which both are there.
constexpr std::uint64_t kLastMessage = 1 + 2 + kIters;

TEST(PairTest, OneWayTakesAMessageForEachIteration) {
  const auto timing = measure({});

  EXPECT_EQ(timing.elapsed_ns, std::int64_t{kIters} * (kLatencyNs + kBytesNs));
  EXPECT_EQ(timing.iteration_us, std::vector<double>(kIters, 7.0));
}

TEST(PairTest, ALatencyIterationTakesAMessageThereAndOneBack) {
  const auto timing = measure({.test = {PairKind::latency, 0, 2, 10'000}});

  EXPECT_EQ(timing.iteration_us, std::vector<double>(kIters, 2 * 6.0));
}

TEST(PairTest, BothWaysAtOnceTakeAsLongAsOne) {
  const auto timing = measure({.test = {PairKind::bidirectional, 1, 2, kPairBytes}});

  EXPECT_EQ(timing.iteration_us, std::vector<double>(kIters, 7.0));
}

TEST(PairTest, ASlowLinkShowsBetweenItsEndsOnly) {
  const FakeOptions slow{.slow_links = {{.a = 0, .b = 1, .factor = 0.5}}};

  EXPECT_EQ(measure({.fake = slow}).elapsed_ns, std::int64_t{kIters} * (kLatencyNs + 2 * kBytesNs));
  EXPECT_EQ(
      measure({.test = {PairKind::unidirectional, 0, 2, kPairBytes}, .fake = slow}).elapsed_ns,
      std::int64_t{kIters} * (kLatencyNs + kBytesNs));
}

// Each message is received late, and so each next one begins late.
TEST(PairTest, TheLaterOfBothRanksEndsTheTest) {
  const auto timing = measure({.fake = {.slow_ranks = {{.rank = 1, .extra_us = 3}}}});

  EXPECT_EQ(timing.elapsed_ns, std::int64_t{kIters} * (kLatencyNs + kBytesNs + 3'000));
  ASSERT_TRUE(timing.modelled);
  EXPECT_EQ(timing.modelled->lost_ns(), std::int64_t{kIters} * 3'000);
}

TEST(PairTest, VerifiesTheLastTimedMessage) {
  EXPECT_EQ(verified_calls({}, 1, 2 * kLastMessage), Calls{kLastMessage});
}

TEST(PairTest, VerifiesTheLastTimedMessageOfEachWay) {
  const PairTrial both{.test = {PairKind::bidirectional, 0, 1, kPairBytes}};

  EXPECT_EQ(verified_calls(both, 0, 2 * kLastMessage), Calls{kLastMessage});
  EXPECT_EQ(verified_calls(both, 1, 2 * kLastMessage), Calls{kLastMessage});
}

// Calls of rank 1 receive and send in turn; those of rank 0 send and receive.
TEST(PairTest, VerifiesTheLastTimedRoundTripOnBothRanks) {
  const PairTrial latency{.test = {PairKind::latency, 0, 1, 8}};
  const std::uint64_t last_back = 2 * (1 + 1 + kIters);

  EXPECT_EQ(verified_calls(latency, 0, 2 * last_back), Calls{last_back});
  // A wrong byte there is sent back from another buffer.
  EXPECT_EQ(verified_calls(latency, 1, 2 * last_back), Calls{last_back - 1});
}

// Another meeting, then one more message.
TEST(PairTest, VerifiesAnExtraMessageWhereMemoryHoldsTwoBuffersOnly) {
  const auto extra = kLastMessage + 2 + 1;

  EXPECT_EQ(verified_calls({.memory_bytes = 2 * kPairBytes}, 1, extra), Calls{extra});
}

TEST(PairTest, NamesTheReceivingRankAndTheByte) {
  const auto timing = measure({.fake = {.flips = {{.rank = 1, .call = kLastMessage}}}});

  ASSERT_EQ(timing.checks.size(), 2U);
  const auto& check = timing.checks[0].wrong > 0 ? timing.checks[0] : timing.checks[1];
  EXPECT_EQ(check.rank, 1);
  EXPECT_EQ(check.wrong, 1U);
  EXPECT_LT(check.first.index, kPairBytes);
  EXPECT_EQ(check.first.expected_bits ^ check.first.got_bits, 0x40U);
}

TEST(PairTest, LooksAtNoDataUnlessAsked) {
  const auto timing = measure({.fake = {.flips = {{.rank = 1}}}, .check = false});

  EXPECT_TRUE(timing.checks.empty());
}

TEST(PairTest, LeavesOtherRanksAlone) {
  run_sessions({.nranks = 3}, [&](Session& session) {
    session.allocate({.bytes = kPairBytes});

    const auto timings = run_pair_test(
        session, {.kind = PairKind::unidirectional, .source = 0, .dest = 1, .bytes = 8}, {});

    EXPECT_EQ(timings.empty(), session.ranks().front().rank == 2);
  });
}

}  // namespace
}  // namespace linerate
