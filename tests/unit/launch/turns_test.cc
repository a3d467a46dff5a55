// Turns between sides, each a thread here: who has it, who waits, and who has gone.
#include "launch/turns.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace linerate {
namespace {

bool never() { return false; }

// What sides did, in order: 'a' for a turn of side 0, 'b' of side 1.
class Log {
 public:
  void add(std::size_t side) {
    const std::lock_guard lock(mutex_);
    text_ += static_cast<char>('a' + side);
  }
  std::string text() const { return text_; }

 private:
  std::mutex mutex_;
  std::string text_;
};

// A program that takes so many turns, and ends.
std::thread side(TurnKeeper& keeper, std::size_t number, int turns, Log& log) {
  return std::thread([&keeper, number, turns, &log] {
    {
      const auto taker = TurnTaker::at(keeper.address(number));
      for (int i = 0; i < turns; ++i) {
        taker->next(never);
        log.add(number);
      }
    }
    keeper.ended(number);
  });
}

std::string turns_of(int of_a, int of_b, std::size_t first) {
  TurnKeeper keeper(2, first);
  keeper.start();
  Log log;
  auto a = side(keeper, 0, of_a, log);
  auto b = side(keeper, 1, of_b, log);
  a.join();
  b.join();
  return log.text();
}

TEST(Turns, AlternateFromTheOneThatIsFirst) {
  EXPECT_EQ(turns_of(4, 4, 0), "abababab");
  EXPECT_EQ(turns_of(4, 4, 1), "babababa");
}

TEST(Turns, AreAllTheOthersOnceASideHasEnded) {
  EXPECT_EQ(turns_of(1, 5, 0), "abbbbb");
  EXPECT_EQ(turns_of(0, 3, 0), "bbb");
}

TEST(Turns, WaitForASideThatHasNotCome) {
  TurnKeeper keeper(2, 1);
  keeper.start();
  Log log;
  auto b = side(keeper, 1, 2, log);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(log.text(), "");
  EXPECT_FALSE(keeper.asked(0));
  auto a = side(keeper, 0, 2, log);
  a.join();
  b.join();
  EXPECT_EQ(log.text(), "baba");
  EXPECT_TRUE(keeper.asked(0));
}

TEST(Turns, GoOnWithTheNextProgramOfASide) {
  TurnKeeper keeper(2, 0);
  keeper.start();
  Log log;
  std::thread a([&] {
    for (int program = 0; program < 2; ++program) {
      const auto taker = TurnTaker::at(keeper.address(0));
      taker->next(never);
      log.add(0);
    }
    keeper.ended(0);
  });
  auto b = side(keeper, 1, 3, log);
  a.join();
  b.join();
  EXPECT_EQ(log.text(), "ababb");
}

TEST(Turns, AreNotWaitedForOnceInterrupted) {
  TurnKeeper keeper(2, 0);
  keeper.start();
  const auto taker = TurnTaker::at(keeper.address(0));
  int looks = 0;

  taker->next([&] { return ++looks > 1; });

  EXPECT_EQ(looks, 2);
}

TEST(Turns, AreFreeOnceTheKeeperHasGone) {
  std::unique_ptr<TurnTaker> taker;
  {
    TurnKeeper keeper(2, 0);
    taker = TurnTaker::at(keeper.address(0));
  }

  taker->next(never);
  taker->next(never);
}

TEST(Turns, AreNotForWhoDoesNotKnowTheSecret) {
  TurnKeeper keeper(1, 0);
  keeper.start();
  auto address = keeper.address(0);
  auto& digit = address.at(address.size() - 3);
  digit = digit == '0' ? '1' : '0';

  TurnTaker::at(address)->next(never);  // sent away: no longer waits

  EXPECT_FALSE(keeper.asked(0));
}

TEST(Turns, NeedAnAddressWhereSomebodyListens) {
  EXPECT_EQ(TurnTaker::at(""), nullptr);
  EXPECT_THROW(TurnTaker::at("nonsense"), Error);
  EXPECT_THROW(TurnTaker::at("nobody:0123456789abcdef:0"), Error);
  EXPECT_THROW(TurnTaker::at("nobody:0123456789abcdef:99"), Error);
}

}  // namespace
}  // namespace linerate
