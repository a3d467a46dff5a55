// The lines of faults, as the log has them.
#include "diagnose/log/report.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(LogOrder, HasEachLineOfAFaultAndMarksTheRoot) {
  const auto report = read_log("[ERROR] soup.c is cold\n" + kUnreachable +
                               "[ERROR] pot is empty\n" + kClosed + kClosed);

  EXPECT_THAT(log_text(report),
              HasSubstr("The log says, line by line:\n"
                        "  line 1  error-line      [ERROR] soup.c is cold\n"
                        "> line 3  ib-unreachable  transport/net_ib.cc:99 NCCL WARN"));
  EXPECT_THAT(log_text(report), HasSubstr("\n  line 4  error-line      [ERROR] pot is empty\n"
                                          "  line 6  peer-closed     misc/socket.cc:49"));
  EXPECT_THAT(log_text(report), HasSubstr("remote peer node1<9> (2 times)\n"));
  EXPECT_THAT(log_json(report), HasSubstr("\"in_order\": [\n"));
}

TEST(LogOrder, IsByTheTimesOfSeveralFilesWhereAllHaveOne) {
  const auto at = [](std::string_view time, std::string_view text) {
    return fmt::format("[2025-01-01 10:00:{}] n:1:1 [0] a.cc:1 NCCL WARN {}\n", time, text);
  };
  const auto late = at("09", "Call to ibv_modify_qp failed with error No route"),
             early = at("03", "Call to posix_fallocate failed : No space left on device");

  EXPECT_THAT(log_text(read_logs({{"a", late}, {"b", early}})),
              HasSubstr("by their times:\n> b:1  shared-memory-full"));
}

TEST(LogOrder, IsNotShownForOneLineNorWithoutACause) {
  EXPECT_THAT(log_text(read_log(kUnreachable)), Not(HasSubstr("line by line")));
  EXPECT_THAT(log_text(read_log(healthy_log())), Not(HasSubstr("line by line")));
}

TEST(LogOrder, HasWhatExplainsAFaultAndNothingElseThatIsHarmless) {
  const auto missing = info(0, "NET/Plugin: Could not find: libnccl-net.so");
  const auto zeros = "GID: " + replaced(std::string(16, 'x'), "x", "00:") + "\n";
  const auto text = log_text(read_log(missing + zeros +
                                      "GID: 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00\n"
                                      "Failed to modify QP 7 to RTR\n"));
  EXPECT_THAT(text, HasSubstr("gid-of-zeros"));
  EXPECT_THAT(text, Not(HasSubstr("net-plugin-missing")));
}

TEST(LogOrder, IsThatOfTheFilesWhereTheyHaveNoTimes) {
  EXPECT_THAT(log_text(read_logs({{"node2", kUnreachable}, {"node10", kClosed}})),
              HasSubstr("file by file:\n> node2:2   ib-unreachable"));
}

TEST(LogOrder, HasTheRootAlsoWhereThereAreManyLines) {
  std::string log;
  for (char c = 'a'; c < 'v'; ++c) log += warn(0, std::string(3, c) + ".cc:1", std::string(9, c));
  EXPECT_THAT(log_text(read_log(log + kUnreachable)), HasSubstr("\n> line 44  ib-unreachable"));
  EXPECT_THAT(log_text(read_log(log + kUnreachable)), HasSubstr("\n  and 6 more\n"));
}

}  // namespace
}  // namespace linerate::logs
