// Columns are as wide as their widest cell.
#include "compare/text.h"

#include "base/text.h"
#include "base/units.h"
#include "compare/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace linerate {
namespace {

using stats::Difference;

constexpr std::size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;

constexpr std::array<std::string_view, kColumns> kHeading{
    "case", "size", "placement", "A", "B", "B/A", "95 % interval", "verdict"};
constexpr std::array<bool, kColumns> kLeft{true, false, true, false, false, false, false, true};

Row row_of(const ComparedCase& one) {
  return {case_words(one.key),        bytes_text(one.key.bytes),
          placement_words(one.key),   time_words(one.a),
          time_words(one.b),          ratio_words(one.effect.ratio),
          interval_words(one.effect), std::string(name_of(one.verdict))};
}

std::vector<Row> rows_of(const RunComparison& comparison) {
  std::vector<Row> rows;
  for (const auto& one : comparison.cases) rows.push_back(row_of(one));
  return rows;
}

Row heading() {
  Row row;
  std::ranges::copy(kHeading, row.begin());
  return row;
}

std::string padded(const std::string& cell, std::size_t width, bool left) {
  const auto blanks = std::string(width - std::min(width, columns_of(cell)), ' ');
  return left ? cell + blanks : blanks + cell;
}

// What a terminal shows a verdict in; empty where it stays as it is.
std::string_view colour_of(std::string_view verdict) {
  if (verdict == name_of(Difference::slower)) return "\x1b[31m";
  if (verdict == name_of(Difference::faster)) return "\x1b[32m";
  if (verdict == name_of(Difference::unsure)) return "\x1b[33m";
  return {};
}

std::array<std::size_t, kColumns> widths_of(std::span<const Row> rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  return widths;
}

std::string line_of(const Row& row, const std::array<std::size_t, kColumns>& widths, bool colours) {
  std::string line;
  for (std::size_t i = 0; i + 1 < kColumns; ++i) line += padded(row[i], widths[i], kLeft[i]) + "  ";
  const auto& verdict = row.back();
  const auto colour = colours ? colour_of(verdict) : std::string_view();
  if (colour.empty()) return line + verdict;
  return fmt::format("{}{}{}\x1b[0m", line, colour, verdict);
}

std::string sides_text(const RunComparison& comparison, std::string_view mark) {
  return fmt::format("{0}A: {1}\n{0}B: {2}\n", mark, plain_text(comparison.a.name),
                     plain_text(comparison.b.name));
}

// What the sides are, what differs, and how they are compared; each line with `mark` before it.
std::string introduction(const RunComparison& comparison, std::string_view mark) {
  auto text = sides_text(comparison, mark);
  for (const auto& one : comparison.differences)
    text += fmt::format("{}{}: {} | {}\n", mark, one.what, one.a, one.b);
  if (comparison.differences.empty())
    text += fmt::format("{}Nothing that is recorded differs\n", mark);
  text += fmt::format("{}{}\n", mark, method_sentence(comparison));
  for (const auto& line : cautions(comparison)) text += fmt::format("{}{}\n", mark, line);
  return text;
}

// A bar ends a cell.
std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_row(const Row& row) {
  std::string line = "|";
  for (const auto& cell : row) line += fmt::format(" {} |", markdown_cell(cell));
  return line + '\n';
}

}  // namespace

std::string terminal_text(const RunComparison& comparison, bool colours) {
  auto rows = rows_of(comparison);
  rows.insert(rows.begin(), heading());
  const auto widths = widths_of(rows);
  auto text = introduction(comparison, "# ") + "#\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += (i == 0 ? "# " : "  ") + line_of(rows[i], widths, colours) + '\n';
  text += "#\n";
  for (const auto& line : summary(comparison)) text += fmt::format("# {}\n", line);
  return text;
}

std::string markdown_text(const RunComparison& comparison) {
  std::string text;
  for (const auto& line : summary(comparison)) text += fmt::format("- {}\n", markdown_cell(line));
  text += '\n' + markdown_row(heading()) + "|---|---:|---|---:|---:|---:|---:|---|\n";
  for (auto row : rows_of(comparison)) {
    if (row.back() == name_of(Difference::slower)) row.back() = fmt::format("**{}**", row.back());
    text += markdown_row(row);
  }
  text += '\n';
  const auto lines = introduction(comparison, "");
  for (const auto& line : split(trim(lines), '\n'))
    text += fmt::format("- {}\n", markdown_cell(line));
  return text;
}

}  // namespace linerate
