// Both sides of a TCP probe over the loopback: that they understand each other.
#include "bench/survey/tcp_probe.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace linerate {
namespace {

// Each question moves it on by a millisecond: streams of 30 blocks.
class TickingClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now_ns_.fetch_add(1'000'000); }

 private:
  mutable std::atomic<std::int64_t> now_ns_{0};
};

constexpr double kPatienceS = 20;  // of a test that goes wrong

struct Ends {
  std::vector<Socket> here, there;
};

Ends connected(int nstreams) {
  const SteadyClock clock;
  Ends ends;
  auto listener = Listener::open({"127.0.0.1", 0});
  for (int i = 0; i < nstreams; ++i) {
    ends.here.push_back(connect_to(listener.address(), Deadline::after(clock, kPatienceS)));
    ends.there.push_back(listener.accept(Deadline::after(clock, kPatienceS)));
  }
  return ends;
}

TEST(TcpProbes, MeasureWhatTheOtherSideAnswers) {
  const TickingClock clock;
  const SteadyClock steady;
  const auto until = Deadline::after(steady, kPatienceS);
  auto ends = connected(3);

  auto answered = std::async(std::launch::async, [&] {
    answer_tcp({ends.there, clock, until}, {.round_trips = 5});
  });
  const auto speed = measure_tcp({ends.here, clock, until}, {.round_trips = 5});
  answered.get();

  EXPECT_DOUBLE_EQ(speed.round_trip_us, 1000);
  // A block of 256 KiB a millisecond, and one more before the time is looked at again.
  EXPECT_NEAR(speed.one_gbps, 0.262, 0.15);
  EXPECT_GT(speed.all_gbps, 0);
}

TEST(TcpProbes, EndWhereTheOtherSideIsGone) {
  const TickingClock clock;
  const SteadyClock steady;
  auto ends = connected(1);
  ends.there.clear();

  EXPECT_THROW(measure_tcp({ends.here, clock, Deadline::after(steady, kPatienceS)}, {}),
               PeerFailure);
}

}  // namespace
}  // namespace linerate
