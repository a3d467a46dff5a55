#include "topo/show/text_layout.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

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

namespace {

constexpr std::string_view kGap = "  ";         // between a label and its facts
constexpr std::string_view kBetween = " · ";    // between facts
constexpr std::size_t kMinColumns = 24;         // for facts, however deep the tree is
constexpr std::size_t kAnyColumns = 1'000'000;  // where the width does not matter

// Escape sequences, by Tone.
constexpr std::array<std::string_view, 6> kColors{"",           "\x1b[2m",    "\x1b[1m",
                                                  "\x1b[1;32m", "\x1b[1;36m", "\x1b[1;31m"};

// What stands left of a branch: on its first line, and below it.
struct Margin {
  std::string first{}, below{};
};

// Siblings, whose labels are padded to one width.
std::size_t label_columns(const std::vector<Branch>& siblings) {
  std::size_t most = 0;
  for (const auto& branch : siblings)
    if (!branch.facts.empty()) most = std::max(most, columns_of(branch.label));
  return most;
}

class Outline {
 public:
  explicit Outline(const TreeOptions& options) : options_(options) {}

  void draw(const Branch& branch, const Margin& margin, std::size_t padded_to) {
    const auto label = painted(branch.label, branch.tone);
    const std::size_t indent = branch.label.empty() ? 0 : padded_to + kGap.size();
    const std::size_t taken = columns_of(margin.first) + indent;
    const auto width = static_cast<std::size_t>(std::max(options_.width, 0));
    const auto columns = width == 0 ? kAnyColumns : std::max(width, taken + kMinColumns) - taken;
    const auto lines = fact_lines(branch.facts, columns);
    const std::string pad(lines.empty() ? 0 : indent - std::min(indent, columns_of(branch.label)),
                          ' ');
    line(margin.first, label + pad + (lines.empty() ? "" : lines.front()));

    const std::string_view stem = branch.children.empty() ? " " : "│";
    const std::string rest_of_indent(indent > 0 ? indent - 1 : 0, ' ');
    const auto next = margin.below + (indent == 0 ? "" : fmt::format("{}{}", stem, rest_of_indent));
    for (std::size_t i = 1; i < lines.size(); ++i) line(next, lines[i]);

    const auto labels = label_columns(branch.children);
    for (const auto& child : branch.children) {
      const bool last = &child == &branch.children.back();
      draw(child, {margin.below + (last ? "└─ " : "├─ "), margin.below + (last ? "   " : "│  ")},
           labels);
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  std::string painted(std::string_view text, Tone tone) const {
    const auto color = options_.color ? kColors.at(static_cast<std::size_t>(tone)) : "";
    return color.empty() ? std::string(text) : fmt::format("{}{}\x1b[0m", color, text);
  }

  std::vector<std::string> fact_lines(const std::vector<Fact>& facts, std::size_t columns) const {
    std::vector<std::string> lines;
    std::size_t used = 0;
    for (const auto& fact : facts) {
      const auto needed = columns_of(kBetween) + columns_of(fact.text);
      if (!lines.empty() && used + needed <= columns) {
        lines.back() += painted(kBetween, Tone::dim) + painted(fact.text, fact.tone);
        used += needed;
        continue;
      }
      for (const auto& piece : lines_of(fact.text, columns)) {
        lines.push_back(painted(piece, fact.tone));
        used = columns_of(piece);
      }
    }
    return lines;
  }

  void line(std::string_view margin, std::string_view rest) {
    text_ += painted(margin, Tone::dim);
    text_ += rest;
    text_ += '\n';
  }

  TreeOptions options_;
  std::string text_;
};

}  // namespace

std::string outline_text(const Branch& root, const TreeOptions& options) {
  Outline outline(options);
  outline.draw(root, {}, columns_of(root.label));
  return std::move(outline).text();
}

}  // namespace linerate::topo
