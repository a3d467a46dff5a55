// The guard of the start: signals, the note after five seconds, and the end of a stuck library.
#include "launch/start_guard.h"

#include "unit/launch/few_descriptors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A guard on a clock that is moved by hand; what it says and how it would end the process.
class GuardedStart {
 public:
  explicit GuardedStart(double timeout_s, bool silent = false)
      : guard_({.clock = clock_,
                .name = "rank 1 (node07)",
                .timeout_s = timeout_s,
                .silent = silent,
                .interrupted =
                    [this] {
                      ++looks_;
                      return interrupted_.load();
                    },
                .at_end = [this](ExitCode, const std::string& text) { kept_ = text; },
                .say = [this](std::string_view text) { said_.emplace_back(text); },
                .exit = [this](ExitCode code) { code_ = code; }}) {
    guard_.waiting_for().set([] { return std::string("rank 0 to listen"); });
  }

  StartGuard& guard() { return guard_; }
  void interrupt() { interrupted_ = true; }
  void advance(double seconds) {
    constexpr double kLookS = 0.9;  // the guard looks more often than a clock may jump
    for (double left = seconds; left > 0; left -= kLookS) jump(std::min(left, kLookS));
  }
  // While nobody looks: the process is stopped.
  void jump(double seconds) {
    clock_.advance(static_cast<std::int64_t>(seconds * 1e9));
    const int before = looks_;
    while (looks_ < before + 2 && !code_.load()) (void)::poll(nullptr, 0, 1);
  }
  // After the guard has ended.
  std::vector<std::string> said() { return guard_.finish(), said_; }
  std::optional<ExitCode> code() const { return code_; }
  std::string kept() const { return kept_; }

 private:
  ManualClock clock_;
  std::atomic<int> looks_{0};
  std::atomic<bool> interrupted_{false};
  std::vector<std::string> said_;
  std::string kept_;
  std::atomic<std::optional<ExitCode>> code_{std::nullopt};
  StartGuard guard_;
};

TEST(StartGuard, AnswersASignalAndKeepsWhatTheRunHas) {
  GuardedStart start(300);

  start.interrupt();
  start.advance(0.1);

  EXPECT_EQ(start.code(), ExitCode::interrupted);
  EXPECT_EQ(start.kept(), "interrupted during initialisation, waiting for rank 0 to listen");
  EXPECT_THAT(start.said(), ElementsAre("rank 1 (node07): " + start.kept()));
}

TEST(StartGuard, LeavesTheAnswerToTheProcessThatSpeaksForAll) {
  GuardedStart start(300, true);

  start.interrupt();
  start.advance(0.1);

  EXPECT_EQ(start.code(), ExitCode::interrupted);
  EXPECT_THAT(start.said(), IsEmpty());
}

TEST(StartGuard, SaysOnceForWhomItWaitsAfterFiveSeconds) {
  GuardedStart start(300);

  start.advance(4.9);
  start.advance(0.2);
  start.advance(10);

  EXPECT_FALSE(start.code());
  EXPECT_THAT(start.said(), ElementsAre("rank 1 (node07): waiting for rank 0 to listen; gives up "
                                        "after 300 s in all"));
}

TEST(StartGuard, EndsAProcessThatALibraryKeepsBeyondTheDeadline) {
  GuardedStart start(2);

  start.advance(2.1);
  EXPECT_FALSE(start.code());  // our own waits end by themselves, and say more
  start.advance(StartGuard::kLibraryS);

  EXPECT_EQ(start.code(), ExitCode::lost);
  EXPECT_THAT(start.said(), ElementsAre("rank 1 (node07): initialisation timed out after 3.6 s, "
                                        "waiting for rank 0 to listen"));
}

TEST(StartGuard, DoesNotCountTheTimeInWhichTheProcessWasStopped) {
  GuardedStart start(2);
  const auto deadline = Deadline::after(start.guard().clock(), 2);

  start.jump(100);
  EXPECT_FALSE(start.code());
  EXPECT_FALSE(deadline.passed());
  start.advance(2 + StartGuard::kLibraryS);

  EXPECT_EQ(start.code(), ExitCode::lost);
  EXPECT_TRUE(deadline.passed());
}

TEST(RunningClock, GoesAsTheClockDoesOnceNobodyLooks) {
  ManualClock clock;
  RunningClock running(clock);

  clock.advance(10'000'000'000);
  EXPECT_EQ(running.now_ns(), 1'000'000'000);
  running.let_go();
  clock.advance(10'000'000'000);

  EXPECT_EQ(running.now_ns(), 11'000'000'000);
}

TEST(StartGuard, LeavesTheDeadlineToTheWatchOnceThereIsOne) {
  GuardedStart start(2);

  start.guard().watched();
  start.advance(10);

  EXPECT_FALSE(start.code());
}

TEST(StartGuard, AnswersASignalThatCameAtTheVeryEnd) {
  GuardedStart start(300);

  start.interrupt();
  start.guard().finish();

  EXPECT_EQ(start.code(), ExitCode::interrupted);
}

TEST(StartGuard, DoesNothingAfterTheStart) {
  GuardedStart start(2);

  start.guard().finish();
  start.interrupt();

  EXPECT_THAT(start.said(), IsEmpty());
  EXPECT_FALSE(start.code());
}

TEST(NeedDescriptors, SaysWhatLacksAndHowToHaveIt) {
#if defined(LINERATE_ASAN)
  GTEST_SKIP() << "the sanitizers' own checks need descriptors";
#endif
  const FewDescriptors few(5);

  EXPECT_NO_THROW(need_descriptors(1));
  try {
    need_descriptors(2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("5 more than it has open, but needs 13: raise the limit "
                                        "(ulimit -n)"));
  }
}

}  // namespace
}  // namespace linerate
