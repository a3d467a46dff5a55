// Both sides of a TCP probe over the loopback: that they understand each other.
#include "bench/survey/tcp_probe.h"

#include "base/error.h"
#include "bench/probe/cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <future>
#include <mutex>
#include <set>
#include <vector>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Each question moves it on, by a millisecond: streams of 30 blocks.
class TickingClock final : public Clock {
 public:
  explicit TickingClock(std::int64_t step_ms = 1) : step_ns_(step_ms * 1'000'000) {}
  std::int64_t now_ns() const override { return now_ns_.fetch_add(step_ns_); }

 private:
  std::int64_t step_ns_;
  mutable std::atomic<std::int64_t> now_ns_{0};
};

constexpr double kProbePatienceS = 20;  // of a test that goes wrong

struct Ends {
  std::vector<Socket> here, there;
};

Ends connected(int nstreams) {
  const SteadyClock clock;
  Ends ends;
  auto listener = Listener::open({"127.0.0.1", 0});
  for (int i = 0; i < nstreams; ++i) {
    ends.here.push_back(connect_to(listener.address(), Deadline::after(clock, kProbePatienceS)));
    ends.there.push_back(listener.accept(Deadline::after(clock, kProbePatienceS)));
  }
  return ends;
}

TEST(TcpProbes, MeasureWhatTheOtherSideAnswers) {
  const TickingClock clock;
  const SteadyClock steady;
  const auto until = Deadline::after(steady, kProbePatienceS);
  auto ends = connected(3);
  const TcpProbeRules rules{.round_trips = 5, .one_stream_first = true};

  auto answered = std::async(std::launch::async, [&] {
    answer_tcp({ends.there, clock, until}, rules);
  });
  const auto speed = measure_tcp({ends.here, clock, until}, rules);
  answered.get();

  EXPECT_DOUBLE_EQ(speed.round_trip_us, 1000);
  // No more than a block of 256 KiB a millisecond, which may come in parts.
  EXPECT_GT(speed.one_gbps, 0);
  EXPECT_LT(speed.one_gbps, 0.263);
  EXPECT_GT(speed.all_gbps(), 0);
}

TEST(TcpProbes, TellEachDirectionForItself) {
  const TickingClock here, there(4);  // whose time passes faster: what it receives seems slower
  const SteadyClock steady;
  const auto until = Deadline::after(steady, kProbePatienceS);
  auto ends = connected(1);
  const TcpProbeRules rules{.round_trips = 5, .stream_s = 0.4, .block_bytes = 4096};

  auto answered = std::async(std::launch::async, [&] {
    answer_tcp({ends.there, there, until}, rules);
  });
  const auto speed = measure_tcp({ends.here, here, until}, rules);
  answered.get();

  EXPECT_DOUBLE_EQ(speed.round_trip_us, 1000);
  EXPECT_GT(speed.out_gbps, 0);
  EXPECT_GT(speed.in_gbps, 2 * speed.out_gbps);
}

// Notes where those run that ask for the time.
class WatchingClock final : public Clock {
 public:
  std::int64_t now_ns() const override {
    const std::lock_guard lock(mutex_);
    masks_.insert(probe::allowed_cores());
    return ticking_.now_ns();
  }
  std::set<std::vector<int>> masks() const { return masks_; }

 private:
  TickingClock ticking_;
  mutable std::mutex mutex_;
  mutable std::set<std::vector<int>> masks_;
};

TEST(TcpProbes, UseTheOtherRanksCoresToo) {
  const auto cores = probe::allowed_cores();
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  const WatchingClock clock;
  const TickingClock there;
  const SteadyClock steady;
  const auto until = Deadline::after(steady, kProbePatienceS);
  auto ends = connected(3);
  const TcpProbeRules rules{.round_trips = 5, .block_bytes = 4096, .cores = {cores[1]}};

  auto answered = std::async(std::launch::async, [&] {
    answer_tcp({ends.there, there, until}, rules);
  });
  std::async(std::launch::async, [&] {
    ASSERT_TRUE(probe::pin_to(cores[0]));
    measure_tcp({ends.here, clock, until}, rules);
  }).get();
  answered.get();

  EXPECT_THAT(clock.masks(), UnorderedElementsAre(ElementsAre(cores[0]), ElementsAre(cores[1])));
}

TEST(TcpProbes, EndWhereTheOtherSideIsGone) {
  const TickingClock clock;
  const SteadyClock steady;
  auto ends = connected(1);
  ends.there.clear();

  EXPECT_THROW(measure_tcp({ends.here, clock, Deadline::after(steady, kProbePatienceS)}, {}),
               PeerFailure);
}

TEST(Arrivals, CountFromTheFirstByteOn) {
  Arrivals arrivals(1'000'000, 1000);
  for (int at_ns = 510; at_ns <= 1500; at_ns += 10) arrivals.note(at_ns, 50);

  EXPECT_NEAR(arrivals.gbps(), 5, 0.1);
}

TEST(Arrivals, DoNotCountWhatComesLate) {
  Arrivals arrivals(0, 1000);
  for (int at_ns = 10; at_ns <= 1000; at_ns += 10) arrivals.note(at_ns, 50);
  arrivals.note(1'000'000, 50);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 5);
}

// What had waited for a reader that came late did not come at once.
TEST(Arrivals, CountFromTheLatestBeginEvenWhereNobodyLooked) {
  Arrivals arrivals(0, 1000);
  arrivals.note(900, 4500);
  arrivals.note(1000, 500);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 5);
}

TEST(Arrivals, OfSeveralStreamsAddUp) {
  Arrivals arrivals(0, 1000);
  for (int at_ns = 10; at_ns <= 1000; at_ns += 10)
    for (int stream = 0; stream < 3; ++stream) arrivals.note(at_ns, 50);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 15);
}

TEST(Arrivals, OfASlowLinkAreAllThatCame) {
  Arrivals arrivals(0, 1000);
  for (const int at_ns : {4000, 8000}) arrivals.note(at_ns, 4000);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 1);
}

}  // namespace

}  // namespace linerate
