// The search for what is slow: each pair's time on the fake backend's clock, beside the same
// without faults.
#include "base/error.h"
#include "bench/pair_test.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kMessageBytes = 20'000;  // 2 us at the fake's 10 GB/s
constexpr double kMessageUs = 5 + 2;
constexpr double kEmptyRoundTripUs = 2 * 5;  // 8 bytes take less than its clock's nanosecond

// Of three ranks; what the others know is empty.
std::vector<PairTime> search(const FakeOptions& fake, std::size_t bytes = kMessageBytes) {
  std::vector<PairTime> found;
  std::mutex mutex;
  run_sessions({.nranks = 3, .fake = fake}, [&](Session& session) {
    session.allocate({.bytes = kMessageBytes});
    const auto times = time_pairs(session, session.is_first() ? bytes : 0);
    const std::lock_guard lock(mutex);
    found.insert(found.end(), times.begin(), times.end());
  });
  return found;
}

const PairTime& time_of(const std::vector<PairTime>& times, int source, int dest, bool one_way) {
  const auto at = std::ranges::find_if(times, [&](const PairTime& time) {
    return time.source == source && time.dest == dest && time.one_way == one_way;
  });
  if (at == times.end()) throw Error("the pair was not timed");
  return *at;
}

TEST(PairSearch, TimesEachPairOneWayBothWaysAndThereAndBackOnce) {
  const auto times = search({});

  EXPECT_EQ(times.size(), 6U + 3U);
  for (const auto& time : times) {
    EXPECT_NEAR(time.time_us, time.one_way ? kMessageUs : kEmptyRoundTripUs, 0.01);
    EXPECT_EQ(time.fault_free_us, time.time_us);
    EXPECT_TRUE(time.one_way || time.source < time.dest);
  }
}

TEST(PairSearch, KnowsWhatASlowLinkWouldTakeWithoutItsFault) {
  const auto times = search({.slow_links = {{.a = 0, .b = 1, .factor = 0.5}}});

  const auto& slow = time_of(times, 1, 0, true);
  EXPECT_NEAR(slow.time_us, kMessageUs + 2, 0.01);
  EXPECT_NEAR(slow.fault_free_us.value(), kMessageUs, 0.01);
  EXPECT_NEAR(time_of(times, 0, 2, true).time_us, kMessageUs, 0.01);
}

// Noise of half a message's time: the median of the three to five rounds would lose 4 us.
TEST(PairSearch, TakesTheBestOfItsRounds) {
  double lost_us = 0;
  for (const auto& time : search({.noise = 0.5})) lost_us += time.time_us - *time.fault_free_us;

  EXPECT_GT(lost_us, 0);
  EXPECT_LT(lost_us / 9, 2);
}

TEST(PairSearch, SendsNoMoreThanTheBuffersHold) {
  const auto times = search({}, std::size_t{1} << 30);

  EXPECT_NEAR(time_of(times, 0, 1, true).time_us, kMessageUs, 0.01);
}

TEST(PairSearch, OfNoBytesTimesNothing) { EXPECT_TRUE(search({}, 0).empty()); }

}  // namespace
}  // namespace linerate
