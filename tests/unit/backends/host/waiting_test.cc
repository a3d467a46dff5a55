// Signals: who waits sees the number, and who sleeps is woken.
#include "backends/host/waiting.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace linerate::host {
namespace {

using std::chrono::microseconds;

TEST(Signal, HasWhatWasSetAndAllBelow) {
  Signal signal;
  signal.set(7);

  EXPECT_TRUE(signal.has(6));
  EXPECT_TRUE(signal.has(7));
  EXPECT_FALSE(signal.has(8));
}

TEST(Signal, DoesNotSleepOnWhatIsThere) {
  Signal signal;
  signal.set(7);

  signal.sleep(7, microseconds(3'600'000'000));  // an hour

  EXPECT_TRUE(signal.has(7));
}

TEST(Signal, SleepsNoLongerThanItMay) {
  const Signal signal;

  signal.sleep(1, microseconds(1));

  EXPECT_FALSE(signal.has(1));
}

// Without the wake-up each round would take an hour.
TEST(Signal, WakesAllSleepers) {
  for (std::uint64_t round = 1; round <= 200; ++round) {
    Signal signal;
    const auto sleep = [&] {
      while (!signal.has(round)) signal.sleep(round, microseconds(3'600'000'000));
    };
    std::thread one(sleep);
    std::thread two(sleep);
    if (round % 2 == 0) std::this_thread::yield();

    signal.set_for_all(round);

    one.join();
    two.join();
  }
}

}  // namespace
}  // namespace linerate::host
