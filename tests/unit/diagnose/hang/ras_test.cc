// What NCCL's RAS prints, and what follows from it.
#include "diagnose/hang/hang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linerate::hang {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// An answer with these blocks below "Errors" and "Warnings".
std::string answer(const std::string& errors, const std::string& warnings) {
  return "NCCL version 2.27.3 compiled with CUDA 12.9\n\nJob summary\n===========\n\n"
         "Communicators... (0.01s)\n=============\n\n"
         "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
         "    0         1         1         4         4         4   RUNNING      OK\n\n"
         "Errors\n======\n\n" +
         errors + "Warnings\n========\n\n" + warnings;
}

std::vector<Finding> of(const std::string& before, const std::string& after) {
  return examine(RasAnswers{"node1:28028", before, after, 2});
}
std::vector<Finding> of_twice(const std::string& text) { return of(text, text); }

// Rank 3 of 4 behind the others.
std::string behind(int most, int least) {
  return "#0-0 (00aa) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
         "  3 ranks have launched up to operation " +
         std::to_string(most) + "\n  Rank 3 has launched up to operation " + std::to_string(least) +
         " -- GPU 3 managed by process 17 on node 10.0.0.3\n\n";
}

TEST(Ras, OfRanksThatAgreeSaysThat) {
  EXPECT_THAT(of_twice(answer("", "")),
              ElementsAre(AllOf(Field(&Finding::rule, "ras-agrees"),
                                Field(&Finding::severity, Severity::info))));
}

TEST(Ras, ThatWasNotAskedSaysNothing) { EXPECT_THAT(examine(RasAnswers{}), IsEmpty()); }

TEST(Ras, NamesTheRankThatIsBehind) {
  const auto findings = of_twice(answer("", behind(42, 41)));

  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "ras-behind");
  EXPECT_EQ(findings[0].severity, Severity::problem);
  EXPECT_EQ(findings[0].subject, "communicator 00aa");
  EXPECT_EQ(findings[0].evidence,
            "Of AllReduce have launched: 3 ranks up to operation 42; rank 3 (GPU 3 managed by "
            "process 17 on node 10.0.0.3) up to operation 41; and this did not change within "
            "2.0 s.");
}

TEST(Ras, OfRanksThatGoOnIsNoHang) {
  const auto findings = of(answer("", behind(42, 41)), answer("", behind(43, 42)));

  EXPECT_THAT(findings, ElementsAre(Field(&Finding::severity, Severity::info)));
}

TEST(Ras, NamesRanksThatHaveLaunchedNothing) {
  const auto findings = of_twice(answer(
      "",
      "#0-0 (00aa) MISMATCH\n  Communicator ranks have different Broadcast operation counts\n"
      "  2 ranks have launched up to operation 1\n  Rank 0 -- GPU 0 managed by process 1 on node "
      "a\n"
      "  Rank 1 -- [process information not found]\n  2 ranks have not launched any operations\n"
      "  Rank 2 -- GPU 2 managed by process 3 on node a\n"
      "  Rank 3 -- GPU 3 managed by process 4 on node a\n\n"));

  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].evidence,
              AllOf(HasSubstr("rank 1 (process not found) up to operation 1"),
                    HasSubstr("rank 3 (GPU 3 managed by process 4 on node a) not one")));
}

TEST(Ras, TellsEachOperationAndTheStatusApart) {
  const auto findings = of_twice(
      answer("",
             "#0-0 (00aa) MISMATCH\n  Communicator ranks have different status\n"
             "  3 ranks have status RUNNING\n"
             "  Rank 2 has status NOCOMM -- GPU 2 managed by process 3 on node a\n"
             "  Communicator ranks have different Broadcast operation counts\n"
             "  3 ranks have launched up to operation 7\n  Rank 1 has not launched any operations "
             "-- GPU 1 managed by process 2 on node a\n\n"
             "  Communicator ranks have different AllReduce operation counts\n"
             "  3 ranks have launched up to operation 9\n  Rank 1 has launched up to operation 8 "
             "-- GPU 1 managed by process 2 on node a\n\n"));

  EXPECT_THAT(findings, ElementsAre(Field(&Finding::evidence, HasSubstr("Of Broadcast")),
                                    Field(&Finding::evidence, HasSubstr("Of AllReduce")),
                                    AllOf(Field(&Finding::rule, "ras-status"),
                                          Field(&Finding::evidence, HasSubstr("NOCOMM")))));
}

TEST(Ras, PassesOnWhatIsMissingDeadOrBroken) {
  const auto findings = of_twice(
      answer("INCOMPLETE\n  Missing communicator data from 1 job process\n"
             "  Process 17 on node 10.0.0.3 managing GPU 3\n\n"
             "DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n\n"
             "#0-0 (00aa) INCOMPLETE\n  Missing communicator data from 1 rank\n"
             "  Rank 3 -- GPU 3 managed by process 17 on node 10.0.0.3\n\n"
             "#1-0 (00bb) ERROR\n  Asynchronous error on 1 rank\n"
             "  Rank 2 reported Remote process error -- GPU 2 managed by process 3 on node a\n\n",
             "TIMEOUT\n  Encountered 1 communication timeout while gathering communicator data\n"));

  EXPECT_THAT(
      findings,
      ElementsAre(
          AllOf(Field(&Finding::rule, "ras-incomplete"), Field(&Finding::subject, "the job"),
                Field(&Finding::evidence, HasSubstr("Process 17 on node 10.0.0.3"))),
          Field(&Finding::rule, "ras-dead"),
          AllOf(Field(&Finding::rule, "ras-incomplete"),
                Field(&Finding::subject, "communicator 00aa")),
          AllOf(Field(&Finding::rule, "ras-error"),
                Field(&Finding::evidence, HasSubstr("Remote process error"))),
          AllOf(Field(&Finding::rule, "ras-timeout"),
                Field(&Finding::severity, Severity::warning))));
}

TEST(Ras, SurvivesAnyText) {
  for (const auto* text : {"", "#", "# () X", "#0-0 (", "#0-0 (a) MISMATCH", "DEAD",
                           "#0-0 (a) MISMATCH\n  Communicator ranks have different ",
                           "#0-0 (a) MISMATCH\n  Communicator ranks have different X operation "
                           "counts\n  99999999999999999999 ranks have launched up to operation 9"})
    (void)of_twice(text);
}

}  // namespace
}  // namespace linerate::hang
