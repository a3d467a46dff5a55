// See plain_text.h.
#include "topo/show/plain_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace linerate::topo {
namespace {

// Where a line may end: the pieces of `text`, each with the blank, comma or hyphen that ends it.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" ,-"), text.size() - 1) + 1;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

std::string_view without_end_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// A name and the number that ends it; -1: none.
struct Numbered {
  std::string_view stem;
  std::int64_t number = -1;
};

Numbered numbered(std::string_view name) {
  constexpr std::size_t kMaxDigits = 9;
  const auto digits = name.size() - (name.find_last_not_of("0123456789") + 1);
  const auto stem = name.substr(0, name.size() - digits);
  const auto tail = name.substr(stem.size());
  const bool padded = tail.size() > 1 && tail.front() == '0';
  if (digits == 0 || digits > kMaxDigits || padded) return {name, -1};
  return {stem, *parse_integer("number", tail)};
}

bool follows(std::string_view name, std::string_view before) {
  const auto a = numbered(before), b = numbered(name);
  return a.number >= 0 && b.stem == a.stem && b.number == a.number + 1;
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  for (const auto piece : pieces_of(text)) {
    const auto needed = columns_of(lines.back()) + columns_of(without_end_blanks(piece));
    if (needed > columns && !lines.back().empty()) lines.emplace_back();
    lines.back() += piece;
  }
  for (auto& line : lines) line = without_end_blanks(line);
  return lines;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  constexpr std::size_t kGap = 2;
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - columns_of(row[i]) + kGap, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string names_in_short(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kRow = 3;
  std::string text;
  for (auto first = names.begin(); first != names.end();) {
    auto last = first;
    while (std::next(last) != names.end() && follows(*std::next(last), *last)) ++last;
    if (last - first + 1 < kRow) last = first;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", *first);
    if (last != first) text += fmt::format("-{}", *last);
    first = std::next(last);
  }
  return text;
}

std::string counted(std::size_t n, std::string_view word) {
  const bool takes_es = word.ends_with("ch");
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : takes_es ? "es" : "s");
}

}  // namespace linerate::topo
