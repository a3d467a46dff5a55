// Messages behind the prefixes of launchers, and in each other's lines.
#include "diagnose/log/message.h"

#include "diagnose/log/level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::logs {
namespace {

std::vector<Message> messages(std::string_view line) {
  std::vector<Message> all;
  each_message(line, [&](Message message) {
    if (!is_nccls(message.level)) message.level = level_of(message.text);
    all.push_back(message);
  });
  return all;
}

Message one(std::string_view line) {
  const auto all = messages(line);
  EXPECT_EQ(all.size(), 1U) << line;
  return all.empty() ? Message{} : all.front();
}

TEST(LogMessage, HasHostProcessAndGpu) {
  const auto message = one("node-1.lab:17:18 [3] NCCL INFO Using network IB");

  EXPECT_EQ(message.level, Level::info);
  EXPECT_EQ(message.host, "node-1.lab");
  EXPECT_EQ(message.pid, 17);
  EXPECT_EQ(message.device, 3);
  EXPECT_EQ(message.text, "Using network IB");
}

TEST(LogMessage, OfAWarningHasItsSite) {
  for (const std::string_view line :
       {"a:1:2 [0] transport/net_ib.cc:12 NCCL WARN x y",
        "[2025-05-10 23:09:41] a:1:2 [0] transport/net_ib.cc:12 NCCL WARN x y",
        "a:1:2 [0] transport/net_ib.cc:12 (wrap_ibv) NCCL WARN x y"}) {
    const auto message = one(line);
    EXPECT_EQ(message.level, Level::warn);
    EXPECT_EQ(message.site, "transport/net_ib.cc:12");
    EXPECT_TRUE(message.whole.starts_with("transport/net_ib.cc:12")) << message.whole;
    EXPECT_TRUE(message.whole.ends_with("NCCL WARN x y")) << message.whole;
    EXPECT_EQ(message.host, "a");
    EXPECT_EQ(message.device, 0);
  }
  EXPECT_EQ(one("[2025-05-10 23:09:41] a:1:2 [0] b.cc:12 NCCL WARN x").time, "2025-05-10 23:09:41");
}

TEST(LogMessage, IsAnErrorOfNcclsBehindASiteAlone) {
  for (const std::string_view line :
       {"a:1:2 [0] b.cc:12 NCCL ERROR x", "a:1:2 [0] b.cc:12 (f) NCCL ERROR x"}) {
    EXPECT_EQ(one(line).level, Level::warn) << line;
    EXPECT_EQ(one(line).site, "b.cc:12") << line;
    EXPECT_EQ(one(line).text, "x") << line;
  }
  EXPECT_EQ(one("[TRT][ERROR] NCCL ERROR x").level, Level::error);
}

TEST(LogMessage, OfABareExceptionSaysNothing) {
  EXPECT_EQ(one("Exception:").level, Level::none);
  EXPECT_EQ(one("Exception: x").level, Level::exception);
  EXPECT_EQ(one("XyzException:").level, Level::exception);
}

TEST(LogMessage, OfAPluginHasAFunctionForItsSite) {
  const auto message = one("a:1:2 [0] nccl_net_ofi_init:969 NCCL WARN NET/OFI x");

  EXPECT_EQ(message.site, "nccl_net_ofi_init:969");
  EXPECT_EQ(message.host, "a");
}

TEST(LogMessage, OfAPluginMayHaveTheTypeOfItsFunction) {
  const auto message = one("a:7:8 [3] xResult_t xProgress(xComm*):1231 NCCL WARN rx timeout");

  EXPECT_EQ(message.level, Level::warn);
  EXPECT_EQ(message.site, "xProgress(xComm*):1231");
  EXPECT_EQ(message.host, "a");
  EXPECT_EQ(message.pid, 7);
  EXPECT_EQ(message.device, 3);
}

TEST(LogMessage, IsFoundBehindPrefixesOfLaunchers) {
  for (const std::string_view prefix :
       {"", "[1,3]<stdout>:", "3: ", "node1: ", "2025-05-10T23:09:41.123Z ",
        "[rank3]: ", "(Worker pid=7) ", "worker-0 | "}) {
    const auto line = std::string(prefix) + "gpu7:41:42 [1] NCCL INFO x";
    const auto message = one(line);
    EXPECT_EQ(message.host, "gpu7") << prefix;
    EXPECT_EQ(message.pid, 41) << prefix;
    EXPECT_EQ(message.device, 1) << prefix;
  }
}

TEST(LogMessage, WithoutNcclsNameIsAWarningToo) {
  for (const std::string_view line :
       {"a:1:2 [0] include/socket.h:34 WARN x", "WARN: Function: f Line: 3: NET/OFI x"})
    EXPECT_EQ(one(line).level, Level::warn) << line;
  for (const std::string_view line : {"train.py:34 WARN x", "WARN slow", "12:30 WARN x"})
    EXPECT_EQ(one(line).level, Level::none) << line;
}

TEST(LogMessage, OfAnotherProgramIsAnExceptionByItsName) {
  for (const std::string_view line :
       {"RuntimeError: x", "[rank3]: torch.OutOfMemoryError: x", "(Worker pid=7) KeyError: 'x'",
        "KeyboardInterrupt", "2:Exception: x", "ERROR 08-12 10:00 [core.py:6] ValueError: x",
        "  what():  x", "(W pid=7) [2025-03-04 19:28:30,014 E 7 7] a.cc:1: Unhandled exception: x"})
    EXPECT_EQ(one(line).level, Level::exception) << line;
  for (const std::string_view line :
       {"raise ValueError(x)", "except KeyError:", "INFO caught ValueError: x, skipped",
        "Exception ignored in: x", "loss Error: 0.5", "val_error: 0.034"})
    EXPECT_EQ(one(line).level, Level::none) << line;
}

TEST(LogMessage, OfAnotherProgramIsAnErrorByItsLevel) {
  for (const std::string_view line :
       {"srun: error: x", "Error: x", "2025-01-01 10:00:00 ERROR x.py:3 x", "fatal: x",
        "[E socket.cpp:793] [c10d] x", "[rank1]:[E1229 22:06:38.4 Process.cpp:16] x",
        "2024: E external/a/b.cc:9] x", "Abort(7) on node 0: x", "[n1:3] *** x",
        "[17.5] [n1:3 :0] a.c:7 UCX  ERROR x", "[2025-03-04 19:28:30,014 E 7 7] (raylet) a.cc:1: x",
        "mixer [Error]: x", "level=error msg=x", "Fortran runtime error: x",
        "Error in user input:", "[rank1]: Error reading x.txt",
        "2024: E external/a_rather_long/path_of/sources_that/many_programs/of_one_kind/b.cc:9] x"})
    EXPECT_EQ(one(line).level, Level::error) << line;
  for (const std::string_view line :
       {"[W socket.cpp:793] [c10d] x", "2024: W external/a/b.cc:9] x", "[Epoch 3] lr 0.1",
        "Test error: 0.5", "Error rate 0.5", "Error bars in red", "ran into an Error in x",
        "[2025-03-04 19:28:30,014 I 7 7] (raylet) a.cc:1: x", "plan B, 014 E 7 is a key",
        "f(7)....: x"})
    EXPECT_EQ(one(line).level, Level::none) << line;
}

TEST(LogMessage, TakesTheRankFromPrefixes) {
  EXPECT_EQ(one("[rank5]:[E515] [Rank 5] Watchdog").rank, 5);
  EXPECT_EQ(one("[E ProcessGroupNCCL.cpp:1] [PG 1 Rank 12] x").rank, 12);
  EXPECT_EQ(one("[1,3]<stderr>:torch").rank, 3);
  EXPECT_EQ(one("7: torch").rank, 7);
  EXPECT_EQ(one("2025-05-10 x").rank, -1);
}

TEST(LogMessage, OfAnotherInTheSameLineIsTakenApart) {
  const auto all = messages("a:1:2 [0] NCCL INFO Using networa:3:4 [1] NCCL INFO Using network IB");

  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].pid, 1);
  EXPECT_EQ(all[1].pid, 3);
  EXPECT_EQ(all[1].text, "Using network IB");
}

TEST(LogMessage, WithoutABeginningKeepsItsText) {
  const auto message = one("[3] include/shm.h:28 NCCL WARN full");

  EXPECT_EQ(message.host, "");
  EXPECT_EQ(message.device, 3);
  EXPECT_EQ(message.site, "include/shm.h:28");
  EXPECT_EQ(one("NCCL INFO").text, "");
}

TEST(LogMessage, LosesColoursNulsAndCarriageReturns) {
  std::string room;

  EXPECT_EQ(cleaned("\x1b[31mred\x1b[0m text\r", room), "red text");
  EXPECT_EQ(cleaned(std::string_view("a\0b", 3), room), "ab");
  EXPECT_EQ(cleaned("plain", room), "plain");
}

TEST(LogMessage, TakesTheRankFromMarksOfPrograms) {
  for (const std::string_view line :
       {"rank=3 x", "[rank 3] x", "| rank3 | x", "rank3: x", "RANK 3: x", "(rank 3) x",
        "2026-03-02 10:00:00,123 rank=3 ERROR x", "2026-03-02T10:00:00Z [INFO] rank 3 x",
        "[Rank 3/8] x", "[local_rank=1 | rank=3] x"})
    EXPECT_EQ(one(line).rank, 3) << line;
  for (const std::string_view line :
       {"no answer of rank 3: x", "rank 3 failed", "rank3", "[ranks 3] x", "frank 3: x",
        "2026-03-02 10:00:00 lost rank 3: x", "lost a peer (rank 3)"})
    EXPECT_EQ(one(line).rank, -1) << line;
}

TEST(LogMessage, TakesTheProcessFromRaysPrefix) {
  EXPECT_EQ(one("(Trainer pid=441, ip=10.0.0.7) x").pid, 441);
  EXPECT_EQ(one("(Trainer) pid=441").pid, -1);
  EXPECT_EQ(one("ended: (Trainer pid=441)").pid, -1);
}

TEST(LogMessage, ThatCallsItselfAWarningIsNoException) {
  for (const std::string_view line :
       {"WARNING retry 1: OSError: [Errno 5] x", "x.py:3: UserWarning: OSError: x",
        "[WARNING] 2/8: botocore.exceptions.EndpointError: x"})
    EXPECT_EQ(one(line).level, Level::none) << line;
  EXPECT_EQ(one("_pickle.UnpicklingError: x").level, Level::exception);
}

}  // namespace
}  // namespace linerate::logs
