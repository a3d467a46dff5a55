// The index finds what a look at each pattern in turn finds.
#include "diagnose/log/pattern_index.h"

#include "diagnose/log/signatures.h"
#include "diagnose/log/word_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace linerate::logs {
namespace {

using Pattern = PatternIndex::Pattern;

std::size_t first_of(const std::vector<Pattern>& patterns, std::string_view text) {
  return PatternIndex(patterns).first(text, [](std::size_t) { return true; });
}

TEST(PatternIndex, FindsTheLowestRowWhereverItsPatternStands) {
  const std::vector<Pattern> patterns{{"spoon*bent|fork", 0}, {"the ", 1}, {"bent", 2}};

  EXPECT_EQ(first_of(patterns, "bent is the spoon"), 1U);
  EXPECT_EQ(first_of(patterns, "a bent spoon"), 2U);
  EXPECT_EQ(first_of(patterns, "the spoon is bent"), 0U);
  EXPECT_EQ(first_of(patterns, "the fork"), 0U);
  EXPECT_EQ(first_of(patterns, "a knife"), PatternIndex::kNone);
  EXPECT_EQ(first_of(patterns, ""), PatternIndex::kNone);
}

TEST(PatternIndex, PassesOverRowsThatAreNotAccepted) {
  const std::vector<Pattern> patterns{{"spoon", 0}, {"spoon", 3}};

  EXPECT_EQ(PatternIndex(patterns).first("a spoon", [](auto row) { return row > 0; }), 3U);
}

TEST(PatternIndex, KnowsPiecesThatAreShorterThanABeginning) {
  const std::vector<Pattern> patterns{{"==", 0}, {"a*b", 1}};

  EXPECT_EQ(first_of(patterns, "x == y"), 0U);
  EXPECT_EQ(first_of(patterns, "ab"), 1U);
  EXPECT_EQ(first_of(patterns, "ba"), PatternIndex::kNone);
}

// Each alternative of each table, with something between its pieces.
TEST(PatternIndex, FindsOfAllTablesWhatALookAtEachRowFinds) {
  std::vector<Pattern> patterns;
  std::size_t rows = 0;
  for (const auto table : signature_tables())
    for (const auto& row : table) patterns.push_back({row.pattern, rows++});
  const PatternIndex index(patterns);
  for (const auto& pattern : patterns) {
    std::string text(pattern.text);
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find('|', begin), text.size());
      auto line = "x " + text.substr(begin, end - begin) + " y";
      for (auto& c : line) c = c == '*' ? ' ' : c;
      const auto by_hand = std::ranges::find_if(
          patterns, [&](const Pattern& one) { return matches(one.text, line); });
      ASSERT_EQ(index.first(line, [](std::size_t) { return true; }), by_hand->row) << line;
      begin = end + 1;
    }
  }
}

TEST(WordSet, SaysWhichWordsStandInAText) {
  static constexpr std::array<std::string_view, 3> kWords{"spoon", "poo", "fork"};
  constexpr WordSet kSet(kWords);

  EXPECT_EQ(kSet.in("a spoon, spoon").words, kSet.bit("spoon") | kSet.bit("poo"));
  EXPECT_EQ(kSet.in("a spoon, spoon").first[0], 2U);
  EXPECT_EQ(kSet.in("fork").words, kSet.bit("fork"));
  EXPECT_EQ(kSet.in("spo").words, 0U);
  EXPECT_EQ(kSet.in("").words, 0U);
}

}  // namespace
}  // namespace linerate::logs
