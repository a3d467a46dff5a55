// What `linerate report` takes, and what it refuses.
#include "cli/report_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseReport, WritesAPageIntoAFolderOfItsOwn) {
  const auto config = parse_report({"run.jsonl"});

  ASSERT_TRUE(config.ok());
  EXPECT_THAT(config->files, ElementsAre("run.jsonl"));
  EXPECT_EQ(config->folder, "report");
  EXPECT_THAT(config->formats, ElementsAre("html"));
  EXPECT_EQ(config->title, "");
}

TEST(ParseReport, TakesFilesBetweenOptions) {
  const auto config = parse_report(
      {"a.jsonl", "-o", "out", "after=b.jsonl", "--title", "new firmware", "--format=svg,md,svg"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_THAT(config->files, ElementsAre("a.jsonl", "after=b.jsonl"));
  EXPECT_EQ(config->folder, "out");
  EXPECT_EQ(config->title, "new firmware");
  EXPECT_THAT(config->formats, ElementsAre("svg", "md"));
}

TEST(ParseReport, KnowsAllFormats) {
  EXPECT_THAT(parse_report({"a.jsonl", "--format", "all"})->formats,
              ElementsAre("html", "md", "png", "svg", "openmetrics"));
}

TEST(ParseReport, RefusesInOneSentence) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "needs the files of runs"},
      {{"-o", "out"}, "needs the files of runs"},
      {{"a.jsonl", "--colour"}, "Unknown option '--colour'"},
      {{"a.jsonl", "-o"}, "-o/--output needs a value"},
      {{"a.jsonl", "-o", ""}, "is given an empty value"},
      {{"a.jsonl", "-o", "--title"}, "is followed by the option --title"},
      {{"a.jsonl", "--format", "pdf"},
       "Unknown format 'pdf': choose one of html, md, png, svg, openmetrics, all"},
  };
  for (const auto& [words, reason] : cases) {
    const auto config = parse_report(words);
    ASSERT_FALSE(config.ok()) << reason;
    EXPECT_THAT(config.sentence(), HasSubstr(reason));
  }
}

}  // namespace
}  // namespace linerate
