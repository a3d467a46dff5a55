// The window on the fake backend's clock: what its time holds, and which slots its calls work on.
#include "bench/window.h"

#include "bench/verify.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kWindowBytes = 20'000;
constexpr std::int64_t kWindowCallNs =
    12'000;  // of 2 ranks: two messages of 5 us and 10000 B at 10 GB/s
constexpr std::int64_t kBarrierNs = 1'000;
constexpr BufferSizes kWindowSizes{.bytes = kWindowBytes, .spare_bytes = kWindowBytes};

// The window of each rank.
std::vector<WindowTime> windows(const FakeJob& job, const WindowPlan& plan) {
  std::vector<WindowTime> times(static_cast<std::size_t>(job.nranks));
  run_sessions(job, [&](Session& session) {
    session.allocate(kWindowSizes);
    const auto on_thread =
        case_on_thread(session, case_of("all_reduce", kWindowBytes), kWindowSizes);
    CallIssuer issuer(session, on_thread);
    times[static_cast<std::size_t>(session.ranks().front().rank)] =
        run_window(session, issuer, plan);
  });
  return times;
}

FakeJob blocking(Blocking how) { return {.config = bench_config({.blocking = how})}; }

constexpr WindowPlan kSixCalls{.iters = 3, .agg_iters = 2};

TEST(Window, TakesTheTimeOfItsCallsAndNothingElse) {
  for (const auto& time : windows({}, kSixCalls)) {
    EXPECT_EQ(time.elapsed_ns, 6 * kWindowCallNs);
    EXPECT_EQ(time.enqueue_ns, 6 * kWindowCallNs);  // calls of the fake return when they are done
    EXPECT_EQ(time.lost_ns, 0);
    EXPECT_EQ(time.core_wait_ns, std::nullopt);  // its clock knows nothing of cores
  }
}

// A rank that began earlier would wait for the other one in its first call.
TEST(Window, BeginsWhenAllRanksAreThere) {
  for (const auto& time : windows({}, {.iters = 1})) EXPECT_EQ(time.elapsed_ns, kWindowCallNs);
}

// The slow rank leaves the barrier and each call 30 us late: the other one waits for it.
TEST(Window, HoldsTheWaitForASlowRankAndTellsItAsLost) {
  const auto times = windows({.fake = {.slow_ranks = {{.rank = 1, .extra_us = 30}}}}, kSixCalls);

  for (const auto& time : times) {
    EXPECT_EQ(time.elapsed_ns, 6 * (kWindowCallNs + 30'000));
    EXPECT_EQ(time.lost_ns, 6 * 30'000);
  }
}

TEST(Window, HoldsTheBarrierAfterEachCallWithBlocking1) {
  for (const auto& time : windows(blocking(Blocking::wait_and_barrier), kSixCalls))
    EXPECT_EQ(time.elapsed_ns, 6 * (kWindowCallNs + kBarrierNs));
}

TEST(Window, HoldsNoBarrierWithBlocking2) {
  for (const auto& time : windows(blocking(Blocking::wait), kSixCalls))
    EXPECT_EQ(time.elapsed_ns, 6 * kWindowCallNs);
}

TEST(Window, LeavesTheBarrierOfEachIterationOutWithBlocking3) {
  for (const auto& time : windows(blocking(Blocking::outer), kSixCalls)) {
    EXPECT_EQ(time.elapsed_ns, 6 * kWindowCallNs);
    EXPECT_EQ(time.enqueue_ns, 6 * kWindowCallNs);
  }
}

TEST(WindowTime, AddsUpWhatWindowsTook) {
  WindowTime sum{.elapsed_ns = 1, .enqueue_ns = 2};

  sum += {.elapsed_ns = 10, .enqueue_ns = 20, .lost_ns = 30};
  sum += {.elapsed_ns = 100, .enqueue_ns = 200, .lost_ns = 300};

  EXPECT_EQ(sum.elapsed_ns, 111);
  EXPECT_EQ(sum.enqueue_ns, 222);
  EXPECT_EQ(sum.lost_ns, 330);
}

// Which of slots 0, 1 and 2 and the spare one hold a result after the calls of `plan`.
std::vector<bool> written_slots(const WindowPlan& plan) {
  constexpr BufferSizes kThree{.bytes = 3 * kWindowBytes, .spare_bytes = kWindowBytes};
  std::vector<bool> written;
  run_sessions({}, [&](Session& session) {
    session.allocate(kThree);
    const auto on_thread = case_on_thread(session, case_of("all_reduce", kWindowBytes), kThree);
    for (const std::size_t slot : {std::size_t{0}, std::size_t{1}, std::size_t{2}, kSpareSlot})
      fill_slot(session, on_thread, slot);
    CallIssuer issuer(session, on_thread);
    run_window(session, issuer, plan);
    session.align();  // the other rank may still write
    if (!session.is_first()) return;
    for (const std::size_t slot : {std::size_t{0}, std::size_t{1}, std::size_t{2}, kSpareSlot})
      written.push_back(check_slot(session, on_thread, slot).front().wrong == 0);
  });
  return written;
}

using Written = std::vector<bool>;

TEST(WindowSlots, AreTakenInTurn) {
  EXPECT_EQ(written_slots({.iters = 2, .sliding_slots = 3}), (Written{true, true, false, false}));
}

TEST(WindowSlots, BeginAgainAfterTheLastThatCallsSlideOver) {
  EXPECT_EQ(written_slots({.iters = 9, .sliding_slots = 2}), (Written{true, true, false, false}));
}

TEST(WindowSlots, OfTheVeryLastCallIsTheOneOfThePlan) {
  const WindowPlan plan{.iters = 2, .agg_iters = 2, .sliding_slots = 3, .last_slot = kSpareSlot};

  EXPECT_EQ(written_slots(plan), (Written{true, true, true, true}));
  EXPECT_EQ(written_slots({.iters = 1, .sliding_slots = 3, .last_slot = kSpareSlot}),
            (Written{false, false, false, true}));
}

}  // namespace
}  // namespace linerate
