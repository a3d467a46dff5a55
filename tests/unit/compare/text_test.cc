// What a comparison looks like to people and to programs.
#include "compare/text.h"

#include "unit/compare/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunComparison slower() {
  auto comparison = compare_sides(made_side("before.jsonl", about(100, 10)),
                                  made_side("after.jsonl", about(110, 10)), {});
  return *std::move(comparison);
}

RunComparison few() { return *compare_sides(made_side("A", {100, 101}), made_side("B", {99}), {}); }

TEST(TerminalText, SaysCaseTimesRatioIntervalAndVerdict) {
  const auto text = terminal_text(slower(), false);

  EXPECT_THAT(text, HasSubstr("# A: before.jsonl\n# B: after.jsonl\n"));
  EXPECT_THAT(text, HasSubstr("all_reduce float sum  1 MiB  out-of-place"));
  EXPECT_THAT(text, HasSubstr("1.100"));
  EXPECT_THAT(text, HasSubstr("SLOWER\n#\n# B is SLOWER in 1 of 1 cases"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(TerminalText, ColoursVerdictsWhereAsked) {
  EXPECT_THAT(terminal_text(slower(), true), HasSubstr("\x1b[31mSLOWER\x1b[0m"));
}

TEST(TerminalText, BeginsEveryLineThatIsNoCaseWithAHash) {
  std::istringstream lines(terminal_text(slower(), false));
  int cases = 0;
  for (std::string line; std::getline(lines, line);) cases += line.starts_with('#') ? 0 : 1;

  EXPECT_EQ(cases, 1);
}

TEST(TerminalText, SaysThatThereAreTooFewRuns) {
  EXPECT_THAT(terminal_text(few(), false), AllOf(HasSubstr("fewer than 5 of each side"),
                                                 HasSubstr("[too few runs]"), HasSubstr("UNSURE")));
}

TEST(TerminalText, SaysOfHowManyCasesThereAreTooFewRuns) {
  auto comparison = slower();
  comparison.cases.push_back(comparison.cases[0]);
  comparison.too_few = 1;

  EXPECT_THAT(terminal_text(comparison, false),
              AllOf(HasSubstr("Too few runs of 1 of 2 cases: with fewer than 5 of each side"),
                    Not(HasSubstr("nothing can be"))));
}

TEST(TerminalText, SaysWhatIsOnBothSides) {
  const auto text =
      terminal_text(*compare_sides(made_side("A", {1}), made_side("A", {1}), {}), false);

  EXPECT_THAT(text, HasSubstr("# 1 run of A is also in B: a run does not differ from itself\n"));
}

TEST(TerminalText, ShowsForeignTextWithoutControlCharacters) {
  auto comparison = slower();
  comparison.a.name = "a\x1b[2Jb";
  comparison.cases[0].key.collective = "x\ny";

  for (const auto& text : {terminal_text(comparison, false), markdown_text(comparison)})
    EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("x\ny")),
                            HasSubstr("most in x?y float sum"), HasSubstr(" x?y float sum ")));
}

TEST(MarkdownText, IsATableThatBarsDoNotBreak) {
  auto comparison = slower();
  comparison.a.name = "all_reduce_perf | tee x";

  const auto text = markdown_text(comparison);

  EXPECT_THAT(text, HasSubstr("| case | size | placement | A | B | B/A |"));
  EXPECT_THAT(text, HasSubstr("| **SLOWER** |"));
  EXPECT_THAT(text, HasSubstr("A: all_reduce_perf \\| tee x"));
}

TEST(JsonText, HoldsEveryNumber) {
  const auto json = nlohmann::json::parse(json_text(slower()));

  EXPECT_EQ(json["kind"], "comparison");
  EXPECT_EQ(json["a"]["nruns"], 10);
  EXPECT_EQ(json["summary"]["slower"], 1);
  const auto& one = json["cases"][0];
  EXPECT_EQ(one["case"]["bytes"], 1 << 20);
  EXPECT_EQ(one["verdict"], "SLOWER");
  EXPECT_NEAR(one["ratio"].get<double>(), 1.1, 1e-6);
  EXPECT_LT(one["ci95_low"].get<double>(), 1.1);
  EXPECT_FALSE(nlohmann::json::parse(json_text(few()))["cases"][0].contains("ci95_low"));
}

TEST(JunitText, FailsSlowerAndSkipsUnsure) {
  const auto text = junit_text(slower());

  EXPECT_THAT(text, HasSubstr("tests=\"1\" failures=\"1\" skipped=\"0\""));
  EXPECT_THAT(text, HasSubstr("<failure type=\"SLOWER\""));
  EXPECT_THAT(junit_text(few()), HasSubstr("<skipped message=\"UNSURE: B/A"));
}

TEST(JunitText, EscapesForeignText) {
  auto comparison = slower();
  comparison.cases[0].key.collective = "<a&\"b\x01";

  EXPECT_THAT(junit_text(comparison), HasSubstr("&lt;a&amp;&quot;b?"));
}

}  // namespace
}  // namespace linerate
