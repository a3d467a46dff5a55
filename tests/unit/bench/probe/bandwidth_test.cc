// Passes over memory: their parts and their times.
#include "bench/probe/bandwidth.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <system_error>

namespace linerate::probe {
namespace {

TEST(RunInParallel, HasAllPartsThereWhereOneIs) {
  std::atomic<int> arrived = 0, seen = 0;

  run_in_parallel(3, [&](std::size_t, std::barrier<>& together) {
    ++arrived;
    together.arrive_and_wait();
    seen += arrived;
  });

  EXPECT_EQ(seen, 9);
}

// A defect would wait for ever: it ends the program instead.
TEST(RunInParallel, EndsWhereAThreadCannotBeStarted) {
  std::atomic<int> done = 0;
  int started = 0;
  const StartThread two_only = [&](std::function<void()> body) {
    if (started++ == 2) throw std::system_error(EAGAIN, std::generic_category());
    return std::jthread(std::move(body));
  };
  auto tried = std::async(std::launch::async, [&] {
    const auto waits = [&](std::size_t, std::barrier<>& together) {
      for (int pass = 0; pass < 3; ++pass) together.arrive_and_wait();
      ++done;
    };
    EXPECT_THROW(run_in_parallel(5, waits, two_only), std::system_error);
  });

  if (tried.wait_for(std::chrono::seconds(30)) != std::future_status::ready) std::abort();
  EXPECT_EQ(done, 2);
}

TEST(Spans, JoinFromTheFirstBeginningToTheLastEnd) {
  const ThreadSpans threads{{{.start_ns = 0, .end_ns = 1}, {.start_ns = 3000, .end_ns = 7000}},
                            {{.start_ns = 0, .end_ns = 1}, {.start_ns = 2000, .end_ns = 5000}},
                            {{.start_ns = 0, .end_ns = 1}, {.start_ns = 4000, .end_ns = 9000}}};

  EXPECT_EQ(joined(threads, 1).start_ns, 2000);
  EXPECT_EQ(joined(threads, 1).end_ns, 9000);
  EXPECT_DOUBLE_EQ(pass_gbps(threads, 1, 14e3), 2);
}

// Of 8 us the last thread waited for 2 before it began and for 4 in it.
TEST(Spans, TellHowMuchFasterAPassWithoutWaitsWouldBe) {
  const ThreadSpans threads{{{.start_ns = 1000, .end_ns = 5000, .wait_ns = 1000}},
                            {{.start_ns = 3000, .end_ns = 9000, .wait_ns = 4000}}};
  const ThreadSpans quiet{{{.start_ns = 1000, .end_ns = 5000}}};
  const ThreadSpans waiting{{{.start_ns = 1000, .end_ns = 5000, .wait_ns = 9000}}};

  EXPECT_EQ(joined(threads, 0).wait_ns, 6000);
  EXPECT_DOUBLE_EQ(pass_slack(threads, 0), 4);
  EXPECT_DOUBLE_EQ(pass_slack(quiet, 0), 1);
  EXPECT_DOUBLE_EQ(pass_slack(waiting, 0), 100);
}

// A clock that moves on by a microsecond whenever it is read.
class StepClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return 1000 * ++reads_; }

 private:
  mutable std::atomic<std::int64_t> reads_ = 0;
};

TEST(TimedPasses, ReadTheClockAroundEachPassOfEachThread) {
  const StepClock clock;
  std::atomic<int> prepared = 0, passes = 0;

  const auto threads = timed_passes({.nthreads = 2,
                                     .npasses = 3,
                                     .prepare = [&](std::size_t) { ++prepared; },
                                     .pass = [&](std::size_t) { ++passes; }},
                                    clock);

  EXPECT_EQ(prepared, 2);
  EXPECT_EQ(passes, 6);
  ASSERT_EQ(threads.size(), 2U);
  for (const auto& of_thread : threads) {
    ASSERT_EQ(of_thread.size(), 3U);
    for (const auto& span : of_thread) EXPECT_LT(span.start_ns, span.end_ns);
  }
  // No pass begins before the one before it has ended on all threads.
  for (std::size_t pass = 1; pass < 3; ++pass)
    EXPECT_GT(joined(threads, pass).start_ns, joined(threads, pass - 1).end_ns);
}

constexpr std::size_t kKiB = 1024, kPass = 64 * kKiB;

TEST(PartsOfMemory, AreOneWhereItIsSmall) {
  const auto parts = parts_of(16 * kKiB, kPass);

  EXPECT_EQ(parts.bytes, 16 * kKiB);
  EXPECT_EQ(parts.count, 1U);
  EXPECT_EQ(parts.loops, 4U);
}

TEST(PartsOfMemory, AreAPassEachWhereItIsLarge) {
  const auto parts = parts_of(10 * kPass + 100, kPass);

  EXPECT_EQ(parts.bytes, kPass);
  EXPECT_EQ(parts.count, 10U);
  EXPECT_EQ(parts.loops, 1U);
}

TEST(PartsOfMemory, AreWholeLines) {
  EXPECT_EQ(parts_of(1000, kPass).bytes, 960U);
  EXPECT_EQ(parts_of(1, kPass).bytes, kLineBytes);
}

// What does not divide a pass evenly makes it a little shorter, never longer.
TEST(PartsOfMemory, TakeNoMoreThanAPass) {
  for (std::size_t bytes = 64; bytes < 3 * kPass; bytes += 999) {
    const auto parts = parts_of(bytes, kPass);

    EXPECT_LE(parts.bytes * parts.loops, kPass) << bytes;
    EXPECT_GT(2 * parts.bytes * parts.loops, kPass) << bytes;
    EXPECT_LE(parts.bytes * parts.count, bytes) << bytes;
  }
}

}  // namespace

}  // namespace linerate::probe
