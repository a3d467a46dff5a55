// A link is never busy twice at a time, and never idle while somebody waits.
#include "backends/host/emulation/shared.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace linerate::host {
namespace {

TEST(BusyIntervals, ServesInTheOrderOfAsking) {
  BusyIntervals line{};

  EXPECT_EQ(line.take(100, 10), 110);
  EXPECT_EQ(line.take(100, 10), 120);
  EXPECT_EQ(line.take(115, 10), 130);
  EXPECT_EQ(line.take(500, 10), 510) << "idle from 130 on";
}

TEST(BusyIntervals, GivesAwayTimeBeforeWhatIsTaken) {
  BusyIntervals line{};
  line.take(1000, 100);

  EXPECT_EQ(line.take(0, 50), 50);
  EXPECT_EQ(line.take(980, 30), 1110) << "20 before, 10 behind";
  EXPECT_EQ(line.take(0, 930), 980) << "all that was free between";
  EXPECT_EQ(line.take(0, 1), 1111) << "nothing is left before";
}

TEST(BusyIntervals, NothingTakesNoTime) {
  BusyIntervals line{};
  line.take(0, 100);

  EXPECT_EQ(line.take(50, 0), 50);
}

// Every nanosecond on its own.
class Naive {
 public:
  std::int64_t take(std::size_t start, std::int64_t busy) {
    std::size_t at = start;
    for (; busy > 0; ++at) {
      if (at >= busy_.size()) busy_.resize(at + 1);
      if (busy_[at]) continue;
      busy_[at] = true;
      --busy;
    }
    return static_cast<std::int64_t>(at);
  }

 private:
  std::vector<bool> busy_;
};

TEST(BusyIntervals, AgreesWithCountingEveryNanosecond) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    BusyIntervals line{};
    Naive naive;
    for (int i = 0; i < 60; ++i) {
      const std::size_t start = random() % 2000;
      const std::int64_t busy = 1 + random() % 40;
      ASSERT_EQ(line.take(static_cast<std::int64_t>(start), busy), naive.take(start, busy))
          << "seed " << seed << ", transfer " << i;
    }
  }
}

TEST(BusyIntervals, ForgetsTheOldestGapsWhenItIsFull) {
  BusyIntervals line{};
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(line.take(100 * i, 10), 100 * i + 10);

  EXPECT_EQ(line.take(100 * 990 + 10, 10), 100 * 990 + 20) << "a late gap is still there";
  EXPECT_GT(line.take(10, 10), 20) << "an early one is not";
}

TEST(BusyIntervals, IsLockedByOneAtATime) {
  BusyIntervals line{};

  EXPECT_TRUE(line.try_lock());
  EXPECT_FALSE(line.try_lock());
  line.unlock();
  EXPECT_TRUE(line.try_lock());
}

}  // namespace
}  // namespace linerate::host
