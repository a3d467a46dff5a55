// What begins with a common start where the barrier of the communicators is loose.
#include "launch/common_start.h"

#include "bench/sampling.h"
#include "support/loose_barrier.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace linerate {
namespace {

constexpr BufferSizes kSizes{.bytes = 1024};

using Work = std::function<void(Session&, CallIssuer&)>;

// How often rank 0 names a moment in `work`.
int starts_in(const Work& work, const TimingConfig& timing = {}, bool loose = true) {
  int nstarts = 0;
  run_counted_sessions({bench_config(timing), loose}, [&](const CountedSession& counted) {
    auto& session = counted.session;
    session.allocate(kSizes);
    const auto on_thread = case_on_thread(session, case_of("all_reduce", kSizes.bytes), kSizes);
    CallIssuer issuer(session, on_thread);
    const int before = counted.calls.broadcasts;
    work(session, issuer);
    if (session.is_first()) nstarts = counted.calls.broadcasts - before;
  });
  return nstarts;
}

void align(Session& session, CallIssuer&) { session.align(); }

void three_iterations(Session& session, CallIssuer& issuer) {
  run_window(session, issuer, {.iters = 3});
}

void five_samples(Session& session, CallIssuer& issuer) {
  std::vector<SampleReduction> reductions(session.is_first() ? 1 : 0, SampleReduction(5, 2));
  Sampler(session).run(issuer, {.samples = 5}, {{0, 1}}, reductions);
}

TEST(CommonStart, IsPartOfAnAlignment) { EXPECT_EQ(starts_in(align), 1); }

TEST(CommonStart, IsNotWhereTheBarrierIsTight) {
  EXPECT_EQ(starts_in(align, {}, false), 0);
  EXPECT_EQ(starts_in(five_samples, {}, false), 0);
}

TEST(CommonStart, BeginsAWindow) { EXPECT_EQ(starts_in(three_iterations), 1); }

TEST(CommonStart, BeginsEachSample) { EXPECT_EQ(starts_in(five_samples), 1 + 5); }

TEST(CommonStart, BeginsNoSampleWithoutABarrier) {
  EXPECT_EQ(starts_in(five_samples, {.sync = Sync::none}), 1);
}

// Blocking 1 has its barriers in the time.
TEST(CommonStart, BeginsEachIterationThatIsTimedByItself) {
  EXPECT_EQ(starts_in(three_iterations, {.blocking = Blocking::outer}), 1 + 3);
  EXPECT_EQ(starts_in(three_iterations, {.blocking = Blocking::wait_and_barrier}), 1);
}

struct Aligned {
  int asks = 0;          // whether the clocks are to be measured
  int measurements = 0;  // of the clocks
};

// What an alignment does besides its start, so long after the clocks were measured.
Aligned aligned_after(std::int64_t ns, bool own_nodes) {
  Aligned aligned;
  run_counted_sessions({.own_nodes = own_nodes}, [&](const CountedSession& counted) {
    counted.clock.advance(ns);
    const auto before = counted.calls;
    counted.session.align();
    if (counted.session.is_first())
      aligned = {.asks = counted.calls.broadcasts - before.broadcasts - 1,
                 .measurements = counted.calls.all_gathers - before.all_gathers};
  });
  return aligned;
}

TEST(CommonStart, OfSeveralNodesMeasuresTheirClocksWhereThatWasLongAgo) {
  EXPECT_EQ(aligned_after(0, true).measurements, 0);
  EXPECT_EQ(aligned_after(1'000'000'000, true).measurements, 1);
}

TEST(CommonStart, OfOneNodeDoesNotAskForClocks) {
  const auto aligned = aligned_after(1'000'000'000, false);

  EXPECT_EQ(aligned.asks, 0);
  EXPECT_EQ(aligned.measurements, 0);
}

}  // namespace
}  // namespace linerate
