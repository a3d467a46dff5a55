// Common starts on one member, whose clock and whose news from the others are known exactly.
#include "launch/common_start.h"

#include "base/wire.h"
#include "support/bootstrap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace linerate {
namespace {

constexpr std::int64_t kTickNs = 200;
constexpr std::int64_t kSlackNs = 10 * kTickNs;  // for the looks at the clock in between

// Moves on by kTickNs with each look.
class TickingClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now_ns_ += kTickNs; }
  std::int64_t shown_ns() const { return now_ns_; }
  void advance(std::int64_t by_ns) { now_ns_ += by_ns; }

 private:
  mutable std::int64_t now_ns_ = 1'000'000'000;
};

// A member to which the others say what a test wants.
class ScriptedBootstrap final : public GatheringBootstrap {
 public:
  ScriptedBootstrap(int rank, TickingClock& clock)
      : GatheringBootstrap(rank, 2, place_on({0, 0}, rank)), clock_(clock) {}

  std::deque<std::int64_t> delays_ns{};     // of rank 0's words, in turn; then none
  std::int64_t rank_0_ahead_ns = 0;         // its clock against this one
  std::optional<std::int64_t> moment_ns{};  // what it says; nothing: its time
  std::int64_t other_heard_ns = 0;          // what the other member measured
  std::vector<std::int64_t> said_ns{};      // by this member, as rank 0
  int nbarriers = 0;

  void barrier(const Deadline&) override { ++nbarriers; }
  Bytes broadcast(std::span<const std::byte> mine, int, const Deadline&) override {
    if (rank() == 0) said_ns.push_back(read_whole<std::int64_t>(mine));
    const auto says_ns = moment_ns.value_or(clock_.shown_ns() + rank_0_ahead_ns);
    if (!delays_ns.empty()) {
      clock_.advance(delays_ns.front());
      delays_ns.pop_front();
    }
    return rank() == 0 ? Bytes(mine.begin(), mine.end()) : WireWriter().put(says_ns).take();
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    return {WireWriter().put(other_heard_ns).take(), Bytes(mine.begin(), mine.end())};
  }

 private:
  TickingClock& clock_;
};

struct Rank1 {
  TickingClock clock{};
  ScriptedBootstrap members{1, clock};

  std::int64_t lead_ns() { return measure_lead_ns(members, clock, Deadline::never()); }
};

// How long rank 1 waits for a moment so far ahead, of rounds that have this lead.
std::int64_t waited_ns(std::int64_t ahead_ns, std::int64_t lead_ns) {
  Rank1 rank;
  const auto start_ns = rank.clock.shown_ns();
  rank.members.moment_ns = start_ns + ahead_ns;
  start_together(rank.members, rank.clock, lead_ns);
  return rank.clock.shown_ns() - start_ns;
}

TEST(StartTogether, ReturnsAtTheMomentThatRankZeroNames) {
  const auto waited = waited_ns(20'000, 30'000);

  EXPECT_GE(waited, 20'000);
  EXPECT_LE(waited, 20'000 + kSlackNs);
}

TEST(StartTogether, ReturnsAtOnceOnAMemberThatHearsTooLate) {
  EXPECT_LE(waited_ns(-1'000, 30'000), kSlackNs);
}

TEST(StartTogether, WaitsNoLongerThanTheLeadWhereClocksDiffer) {
  EXPECT_LE(waited_ns(3'600'000'000'000, 30'000), 30'000 + kSlackNs);
}

TEST(StartTogether, LetsRankZeroNameAMomentTheLeadAheadAndWaitForItToo) {
  TickingClock clock;
  ScriptedBootstrap members(0, clock);
  const auto start_ns = clock.shown_ns();

  start_together(members, clock, 30'000);

  ASSERT_EQ(members.said_ns.size(), 1U);
  EXPECT_GE(members.said_ns.front(), start_ns + 30'000);
  EXPECT_LE(members.said_ns.front(), start_ns + 30'000 + kSlackNs);
  EXPECT_GE(clock.shown_ns(), members.said_ns.front());
}

TEST(StartTogether, DoesNothingWithoutALead) {
  Rank1 rank;
  const auto start_ns = rank.clock.shown_ns();
  rank.members.moment_ns = start_ns + 20'000;

  start_together(rank.members, rank.clock, 0);

  EXPECT_EQ(rank.clock.shown_ns(), start_ns);
}

TEST(CommonStartLead, IsWhatAMemberNeedsToHearInMostRounds) {
  Rank1 rank;
  rank.members.delays_ns.assign(32, 20'000);
  for (const std::size_t late : {3, 14, 31}) rank.members.delays_ns[late] = 90'000;

  EXPECT_NEAR(static_cast<double>(rank.lead_ns()), 20'000, kSlackNs);
}

TEST(CommonStartLead, CoversWhatIsLateMoreOften) {
  Rank1 rank;
  rank.members.delays_ns.assign(32, 20'000);
  for (const std::size_t late : {3, 9, 14, 31}) rank.members.delays_ns[late] = 90'000;

  EXPECT_NEAR(static_cast<double>(rank.lead_ns()), 90'000, kSlackNs);
}

TEST(CommonStartLead, IsThatOfTheMemberThatHearsLast) {
  Rank1 rank;
  rank.members.delays_ns.assign(32, 20'000);
  rank.members.other_heard_ns = 55'000;

  EXPECT_EQ(rank.lead_ns(), 55'000);
}

// As it is needed: each round follows a barrier, and that a common start.
TEST(CommonStartLead, IsMeasuredFromBarriersThatFollowCommonStarts) {
  Rank1 rank;
  const auto start_ns = rank.clock.shown_ns();

  rank.lead_ns();

  EXPECT_EQ(rank.members.nbarriers, 32);
  EXPECT_GE(rank.clock.shown_ns() - start_ns, 32 * (kMaxLeadNs - kSlackNs));
}

TEST(CommonStartLead, IsNoneWhereWordsTakeTooLong) {
  Rank1 rank;
  rank.members.delays_ns.assign(32, kMaxLeadNs + 1'000);

  EXPECT_EQ(rank.lead_ns(), 0);
}

// Once is enough: rank 0's clock is ahead of this one.
TEST(CommonStartLead, IsNoneWhereAMemberHearsBeforeItWasSaid) {
  Rank1 rank;
  rank.members.delays_ns.assign(32, 20'000);
  rank.members.delays_ns[17] = 0;
  rank.members.rank_0_ahead_ns = 10'000;

  EXPECT_EQ(rank.lead_ns(), 0);
}

TEST(CommonStartLead, IsNoneWhereAnotherMemberHasFoundNone) {
  Rank1 rank;
  rank.members.delays_ns.assign(32, 20'000);
  rank.members.other_heard_ns = std::numeric_limits<std::int64_t>::max();

  EXPECT_EQ(rank.lead_ns(), 0);
}

class Lone final : public GatheringBootstrap {
 public:
  Lone() : GatheringBootstrap(0, 1, place_on({0}, 0)) {}
  void barrier(const Deadline&) override { ++ncalls; }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    ++ncalls;
    return {Bytes(mine.begin(), mine.end())};
  }
  int ncalls = 0;
};

TEST(CommonStartLead, OfALoneMemberIsNoneAndAsksNobody) {
  TickingClock clock;
  Lone members;

  EXPECT_EQ(measure_lead_ns(members, clock, Deadline::never()), 0);
  EXPECT_EQ(members.ncalls, 0);
}

}  // namespace
}  // namespace linerate
