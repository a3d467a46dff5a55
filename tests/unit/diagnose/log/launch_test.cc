// Launchers that do not understand their command line.
#include "diagnose/log/report.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kRule = std::string(74, '-') + "\n";

TEST(LogLauncher, NamesTheOptionAndTheValueThatItDoesNotTake) {
  const auto finding = read_log(kRule +
                                "Open MPI has detected that a parameter given to a command line\n"
                                "option does not match the expected format:\n\n"
                                "  Option: spoons\n  Param:  many\n\n"
                                "This is frequently caused by omitting to provide the parameter\n" +
                                kRule)
                           .findings.at(0);

  EXPECT_EQ(finding.rule, "launcher-usage");
  EXPECT_EQ(finding.severity, Severity::problem);
  EXPECT_THAT(finding.evidence, HasSubstr("expected format: Option: spoons Param:  many'"));
}

TEST(LogLauncher, NamesTheOptionThatItDoesNotHave) {
  const auto finding =
      read_log(kRule +
               "An unrecognized option was included on the prterun command line:\n"
               "\n\tOption: --spoons\n\nPlease use the \"prterun --help\" command\n" +
               kRule)
          .findings.at(0);

  EXPECT_EQ(finding.rule, "launcher-usage");
  EXPECT_THAT(finding.evidence, HasSubstr("command line: Option: --spoons'"));
}

TEST(LogLauncher, OfOtherKindsSaysSoInOneLine) {
  for (const std::string_view line :
       {"[mpiexec@n1] match_arg (args.c:9): unrecognized argument spoons",
        "srun: unrecognized option '--spoons'",
        "srun: error: Invalid numeric value \"spoons\" for --ntasks.",
        "torchrun: error: unrecognized arguments: --spoons",
        "/opt/bin/orterun: Error: unknown option \"--spoons\""}) {
    const auto finding = read_log(std::string(line) + "\n").findings.at(0);
    EXPECT_EQ(finding.rule, "launcher-usage") << line;
    EXPECT_THAT(finding.evidence, HasSubstr("spoons")) << line;
  }
}

TEST(LogLauncher, IsNotAskedForWhatAProgramDoesNotUnderstand) {
  EXPECT_EQ(read_log("cook.py: error: unrecognized arguments: --spoons\n").findings.at(0).rule,
            "error-line");
  EXPECT_EQ(read_log("[mpiexec@n1] wait (a.c:9): strange end\n").findings.at(0).rule, "mpi-failed");
  EXPECT_THAT(read_log("  Option: spoons\n  Param:  many\n").findings, IsEmpty());
}

}  // namespace
}  // namespace linerate::logs
