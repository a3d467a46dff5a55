// What a page says of the rows that share its name.
#include "diagnose/log/signatures.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace linerate::logs {
namespace {

TEST(RuleTexts, SayCauseRemedyAndSource) {
  for (const auto table : signature_tables())
    for (const auto& row : table)
      EXPECT_TRUE(row.role == Role::harmless ||
                  !(texts_of(row).meaning.empty() || texts_of(row).remedy.empty() ||
                    texts_of(row).source.empty()))
          << row.name;
}

// The page of a name has room for one.
TEST(RuleTexts, OfANameHaveOneMeaning) {
  std::map<std::string_view, std::string_view> meanings;
  for (const auto table : signature_tables())
    for (const auto& row : table)
      EXPECT_TRUE(row.meaning.empty() || meanings.emplace(row.name, row.meaning).second)
          << row.name;
}

TEST(RuleTexts, NameThePatternsOfAllRows) {
  const auto texts = rule_texts();
  const auto page = std::ranges::find(texts, "hosts-unreachable", &RuleText::id);
  ASSERT_NE(page, texts.end());
  EXPECT_THAT(page->speaks, ::testing::MatchesRegex(".*'ssh: connect to host' or .*As a problem if "
                                                    ".*Also if .*'unable to run proxy'.*"));
}

}  // namespace
}  // namespace linerate::logs
