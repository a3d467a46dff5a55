// Lines of a stream, however it is cut into blocks.
#include "diagnose/log/lines.h"

#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Taken = std::vector<std::pair<std::size_t, std::string>>;

Taken taken(std::string_view text, std::size_t at_once = 1U << 20) {
  Taken lines;
  read_lines(bytes_of(text, at_once), [&](std::string_view line, std::size_t number, auto) {
    lines.emplace_back(number, line);
    return line.ends_with("Last error:") ? Wanted::next
           : line.ends_with("complaint") ? Wanted::progress
                                         : Wanted::none;
  });
  return lines;
}

TEST(LogLines, HandsOnOnlyWhatMayMatter) {
  EXPECT_THAT(taken("step 1\nNCCL x\n\nloss 2\nuse NET/IB"),
              ElementsAre(Pair(2, "NCCL x"), Pair(5, "use NET/IB")));
  EXPECT_THAT(taken(""), IsEmpty());
}

TEST(LogLines, WithAWordOfFailureMayMatter) {
  EXPECT_THAT(taken("mirage\nan Error\nfail\nNo\nMPI\nMP\nit failed"),
              ElementsAre(Pair(2, "an Error"), Pair(5, "MPI"), Pair(7, "it failed")));
}

TEST(LogLines, AreTheSameHoweverBytesArrive) {
  const auto log = healthy_log();
  for (const std::size_t at_once : {1, 7, 100, 4096})
    EXPECT_EQ(taken(log, at_once), taken(log)) << at_once;
}

TEST(LogLines, HandOnTheNextOneWhereItIsWanted) {
  EXPECT_THAT(taken("Last error:\nsocket x\nsocket y\n"),
              ElementsAre(Pair(1, "Last error:"), Pair(2, "socket x")));
}

TEST(LogLines, HandOnStepsWhereTheyAreWanted) {
  EXPECT_THAT(taken("step 1\nNCCL complaint\nsteps\nstep 2\nloss 3\nNCCL x\nstep 4\n"),
              ElementsAre(Pair(2, "NCCL complaint"), Pair(4, "step 2"), Pair(6, "NCCL x")));
}

TEST(LogLines, HandOnNoStepFarBehindTheOneThatWantedIt) {
  std::string between;
  for (std::size_t i = 0; i < kFarthestStep - 1; ++i) between += "a\n";

  EXPECT_EQ(taken("NCCL complaint\n" + between + "step 7\n").size(), 2U);
  EXPECT_EQ(taken("NCCL complaint\na\n" + between + "step 7\n").size(), 1U);
}

TEST(LogLines, CutLongOnesAndCountOn) {
  const auto log = "NCCL " + std::string(5U << 20, 'a') + "\nNCCL b\n";

  const auto lines = taken(log);

  const auto cut = [](std::string_view text) {
    return read_lines(bytes_of(text), [](auto, auto, auto) { return Wanted::none; }).cut;
  };

  EXPECT_EQ(cut(log), 1U);
  EXPECT_EQ(cut("NCCL " + std::string(kLongestLine, 'a')), 1U);
  EXPECT_EQ(cut("NCCL " + std::string(kLongestLine - 5, 'a')), 0U);
  EXPECT_EQ(cut(std::string(kLongestLine + 1, 'a')), 0U);  // nothing in it is of interest
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].second.size(), kLongestLine);
  EXPECT_THAT(lines[1], Pair(2, "NCCL b"));
}

TEST(LogLines, AreCounted) {
  const auto count = read_lines(bytes_of("a\nb\nc"), [](auto, auto, auto) { return Wanted::none; });

  EXPECT_EQ(count.lines, 3U);
  EXPECT_EQ(count.bytes, 5U);
}

TEST(LogLines, HandOnEachStateOfAProgressBar) {
  EXPECT_THAT(taken("NCCL x\r\nstep\rNCCL y\rstep\nNCCL z\n"),
              ElementsAre(Pair(1, "NCCL x"), Pair(2, "NCCL y"), Pair(3, "NCCL z")));
  EXPECT_THAT(taken("NCCL complaint\n1\rstep 7\r2\n"),
              ElementsAre(Pair(1, "NCCL complaint"), Pair(2, "step 7")));
}

TEST(LogLines, LookBehindAllStatesOfALongProgressBar) {
  std::string bar;
  while (bar.size() < (3U << 20)) bar += "\r 3%|#   | 7/99 [00:01<00:02]";

  for (const std::size_t at_once : {std::size_t{4096}, bar.size() * 2})
    EXPECT_THAT(taken("a\n" + bar + "\rNCCL x\nNCCL y", at_once),
                ElementsAre(Pair(2, "NCCL x"), Pair(3, "NCCL y")));
}

TEST(LogLines, PassOverTheRestOfALongState) {
  const std::string state(1U << 20, 'a');

  EXPECT_THAT(taken("b\n" + state + "NCCL w\rNCCL x\nNCCL y"),
              ElementsAre(Pair(2, "NCCL x"), Pair(3, "NCCL y")));
  EXPECT_EQ(read_lines(bytes_of("b\n" + state + "\r" + state + "\nc\n"),
                       [](auto, auto, auto) { return Wanted::none; })
                .lines,
            3U);
}

TEST(LogLines, HaveAnEndWithoutANewlineBehindALongState) {
  EXPECT_THAT(taken("b\n" + std::string(300'000, 'a') + "\rNCCL x"),
              ElementsAre(Pair(2, "NCCL x")));
}

TEST(LogLines, AreNotWhatATerminalErases) {
  EXPECT_THAT(taken("Last error:\r\r\nsocket x\n"),
              ElementsAre(Pair(1, "Last error:"), Pair(2, "socket x")));
  EXPECT_THAT(taken("Last error:\r\x1b[2K\r\nsocket x\n"),
              ElementsAre(Pair(1, "Last error:"), Pair(2, "socket x")));
}

}  // namespace
}  // namespace linerate::logs
