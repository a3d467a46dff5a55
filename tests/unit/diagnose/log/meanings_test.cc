// What is remembered of a line holds for lines with other digits, wherever digits count.
#include "diagnose/log/meanings.h"

#include "base/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace linerate::logs {
namespace {

void expect_same(Meanings& meanings, const std::string& text) {
  const auto met = meanings.of(text), fresh = meaning_of(text);
  EXPECT_EQ(met.level, fresh.level) << text;
  EXPECT_EQ(met.row, fresh.row) << text;
}

std::string with_digits(std::string text, char digit) {
  for (auto& c : text) c = is_digit(c) ? digit : c;
  return text;
}

// Each alternative of each table, with something between its pieces.
std::vector<std::string> lines_of_all_tables() {
  std::vector<std::string> lines;
  for (const auto table : signature_tables())
    for (const auto& row : table)
      for (const auto& one : split(row.pattern, '|')) {
        lines.push_back("ERROR: " + std::string(one));
        std::ranges::replace(lines.back(), '*', ' ');
      }
  return lines;
}

TEST(LogMeanings, OfLinesThatDifferInDigitsAreEachTheirOwn) {
  Meanings meanings;
  for (const auto& line : lines_of_all_tables())
    for (const auto& text : {line, line.substr(7)})
      for (int again = 0; again < 2; ++again)
        for (const char digit : {'0', '1', '3', '7', '9'}) {
          expect_same(meanings, with_digits(text, digit));
          expect_same(meanings, text);
        }
}

TEST(LogMeanings, AreThoseOfTheLineWhereOthersTookItsPlace) {
  Meanings meanings;
  for (int again = 0; again < 3; ++again)
    for (int i = 0; i < 3000; ++i) {
      const auto word = std::string(static_cast<std::size_t>(i % 100), 'a');
      expect_same(meanings, word + (i % 3 == 0 ? ": cannot stir" : ": ERROR: stirred"));
    }
}

TEST(LogMeanings, AreOfLongLinesToo) {
  Meanings meanings;
  const auto line = std::string(5000, '.') + " illegal memory access";

  expect_same(meanings, line);
  expect_same(meanings, "CUDA error: " + line);
}

}  // namespace
}  // namespace linerate::logs
