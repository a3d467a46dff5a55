// Waiting for the streams of a thread: what one of them tells ends the wait for all.
#include "bench/call_issuer.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <array>

namespace linerate {
namespace {

// Idle after so many questions; tells of an error once it was checked often enough.
class ScriptedStream final : public Stream {
 public:
  explicit ScriptedStream(int questions, int good_checks = 1000)
      : questions_(questions), good_checks_(good_checks) {}

  void synchronize(const Deadline&) override { questions_ = 0; }
  bool idle() override { return questions_-- <= 0; }
  void check() override {
    if (good_checks_-- <= 0) throw Error("the stream tells");
  }
  Event record() override { return {}; }
  void wait(const Event&) override {}
  bool done() const { return questions_ <= 0; }

 private:
  int questions_;
  int good_checks_;
};

TEST(WaitForAll, ReturnsWhenTheLastIsIdle) {
  ScriptedStream first(1), second(5);
  const std::array<Stream*, 2> streams{&first, &second};

  wait_for_all(streams);

  EXPECT_TRUE(first.done());
  EXPECT_TRUE(second.done());
}

TEST(WaitForAll, EndsByWhatABusyStreamTells) {
  ScriptedStream idle(0), busy(1'000'000, 3);
  const std::array<Stream*, 2> streams{&idle, &busy};

  EXPECT_THROW(wait_for_all(streams), Error);
}

// Its rank's call has ended with an error, for which the other's waits in vain.
TEST(WaitForAll, EndsByWhatAnIdleStreamTells) {
  ScriptedStream idle(0, 3), busy(1'000'000);
  const std::array<Stream*, 2> streams{&idle, &busy};

  EXPECT_THROW(wait_for_all(streams), Error);
}

}  // namespace
}  // namespace linerate
