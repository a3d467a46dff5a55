// What the doctor's commands print of a finding, and when one makes them fail.
#include "record/findings.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

TEST(Findings, FailFromTheSeverityOn) {
  const std::vector<Finding> findings{{.severity = Severity::info},
                                      {.severity = Severity::warning}};

  EXPECT_TRUE(any_from(findings, Severity::warning));
  EXPECT_FALSE(any_from(findings, Severity::problem));
  EXPECT_FALSE(any_from(findings, std::nullopt));
  EXPECT_EQ(count_of(findings, Severity::warning), 1U);
}

TEST(Findings, AreSafeToShow) {
  EXPECT_EQ(
      finding_text({.rule = "r", .subject = "s\x1b", .evidence = "e\n", .advice = "a\x9b"}, "n: "),
      "warning: r: n: s?\n  e?\n  -> a?\n");
}

TEST(Findings, AreCountedBelow) {
  const std::vector<Finding> one{{.severity = Severity::problem}};

  EXPECT_EQ(closing_text(one, " about 1 run"),
            "1 problem, 0 warnings, 0 notes about 1 run\n" + std::string(kExplainHint));
  EXPECT_EQ(closing_text({}), "0 problems, 0 warnings, 0 notes\n");
}

TEST(Findings, AreJsonObjects) {
  EXPECT_EQ(finding_json({.rule = "r", .subject = "s"}).dump(),
            R"({"rule":"r","severity":"warning","subject":"s","evidence":"","advice":"",)"
            R"("confidence":1.0,"docs":"docs/doctor/r.md"})");
}

}  // namespace
}  // namespace linerate
