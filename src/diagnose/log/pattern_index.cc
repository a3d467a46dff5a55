// Alternatives with the same three characters are a list, the lowest row first.
#include "diagnose/log/pattern_index.h"

#include <ranges>
#include <unordered_map>

namespace linerate::logs {
namespace {

// Takes what stands before `separator` off `rest`; all of it where there is none.
std::string_view take_until(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const auto piece = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return piece;
}

bool has_in_order(std::string_view pieces, std::string_view text) {
  while (!pieces.empty()) {
    const auto piece = take_until(pieces, '*');
    const auto at = text.find(piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
  }
  return true;
}

template <typename Take>
void each_piece(std::string_view pattern, char separator, const Take& take) {
  while (!pattern.empty()) take(take_until(pattern, separator));
}

template <typename Take>
void each_three(std::string_view text, const Take& take) {
  each_piece(text, '*', [&](auto piece) {
    for (std::size_t at = 0; at + 3 <= piece.size(); ++at)
      take(piece, at, three_at(piece.substr(at)));
  });
}

// How often the patterns have each three characters.
using Counts = std::unordered_map<std::uint32_t, int>;

Counts count_threes(std::span<const PatternIndex::Pattern> patterns) {
  Counts counts;
  for (const auto& pattern : patterns)
    each_piece(pattern.text, '|', [&](auto text) {
      each_three(text, [&](auto, auto, auto three) { ++counts[three]; });
    });
  return counts;
}

struct Anchor {
  std::string_view piece{};
  std::size_t offset = 0;
};

// With the three characters that are rarest.
Anchor anchor_of(std::string_view text, const Counts& counts) {
  Anchor best;
  int least = 0;
  each_three(text, [&](auto piece, auto at, auto three) {
    const int count = counts.at(three);
    if (least > 0 && count >= least) return;
    best = {piece, at};
    least = count;
  });
  return best;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  while (!pattern.empty())
    if (has_in_order(take_until(pattern, '|'), text)) return true;
  return false;
}

PatternIndex::PatternIndex(std::span<const Pattern> patterns) {
  const auto counts = count_threes(patterns);
  for (const auto& pattern : patterns | std::views::reverse)
    each_piece(pattern.text, '|', [&](auto text) {
      const auto [piece, offset] = anchor_of(text, counts);
      auto& head =
          piece.empty() ? short_ : heads_[slot_of_three<kBits>(three_at(piece.substr(offset)))];
      alternatives_.push_back({text, piece, offset, pattern.row, head});
      head = static_cast<std::uint16_t>(alternatives_.size() - 1);
    });
}

// Most have one piece, which is the anchor.
bool PatternIndex::fits(const Alternative& one, std::string_view text) {
  return one.text.size() == one.anchor.size() || has_in_order(one.text, text);
}

}  // namespace linerate::logs
