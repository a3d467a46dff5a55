// See outline.h.
#include "topo/show/outline.h"

#include "topo/show/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace linerate::topo {
namespace {

constexpr std::string_view kGap = "  ";         // between a label and its facts
constexpr std::string_view kBetween = " · ";    // between facts
constexpr std::size_t kMinColumns = 24;         // for facts, however deep the tree is
constexpr std::size_t kAnyColumns = 1'000'000;  // where the width does not matter

std::string_view color_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::dim:
      return "\x1b[2m";
    case Tone::strong:
      return "\x1b[1m";
    case Tone::gpu:
      return "\x1b[1;32m";
    case Tone::nic:
      return "\x1b[1;36m";
    case Tone::bad:
      return "\x1b[1;31m";
  }
  return "";
}

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

  void draw(const Branch& branch, const Margin& margin, std::size_t padded_to);
  std::string text() && { return std::move(text_); }

 private:
  std::string painted(std::string_view text, Tone tone) const;
  std::vector<std::string> fact_lines(const std::vector<Fact>& facts, std::size_t columns) const;
  void line(std::string_view margin, std::string_view rest);

  TreeOptions options_;
  std::string text_;
};

std::string Outline::painted(std::string_view text, Tone tone) const {
  const auto color = options_.color ? color_of(tone) : "";
  return color.empty() ? std::string(text) : fmt::format("{}{}\x1b[0m", color, text);
}

std::vector<std::string> Outline::fact_lines(const std::vector<Fact>& facts,
                                             std::size_t columns) const {
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

void Outline::line(std::string_view margin, std::string_view rest) {
  text_ += painted(margin, Tone::dim);
  text_ += rest;
  text_ += '\n';
}

void Outline::draw(const Branch& branch, const Margin& margin, std::size_t padded_to) {
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

}  // namespace

std::string outline_text(const Branch& root, const TreeOptions& options) {
  Outline outline(options);
  outline.draw(root, {}, columns_of(root.label));
  return std::move(outline).text();
}

}  // namespace linerate::topo
