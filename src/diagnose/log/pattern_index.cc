// Alternatives with the same beginning are a list, the lowest row first.
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

using Counts = std::unordered_map<std::string_view, int>;

// How many alternatives have each piece that is long enough to be looked for.
Counts count_pieces(std::span<const PatternIndex::Pattern> patterns) {
  Counts counts;
  for (const auto& pattern : patterns)
    each_piece(pattern.text, '|', [&](auto text) {
      each_piece(text, '*', [&](auto piece) { counts[piece] += piece.size() < 3 ? 0 : 1; });
    });
  return counts;
}

// That fewest have, then the longest; empty: none is long enough.
std::string_view rarest_piece(std::string_view text, const Counts& counts) {
  std::string_view best;
  int least = 0;
  each_piece(text, '*', [&](auto piece) {
    const int count = counts.at(piece);
    if (count == 0 ||
        (least > 0 && (count > least || (count == least && piece.size() <= best.size()))))
      return;
    best = piece;
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
  const auto counts = count_pieces(patterns);
  for (const auto& pattern : patterns | std::views::reverse)
    each_piece(pattern.text, '|', [&](auto text) {
      const auto anchor = rarest_piece(text, counts);
      auto& head = anchor.empty() ? short_ : heads_[slot_of_three<kBits>(three_at(anchor))];
      alternatives_.push_back({text, anchor, pattern.row, head});
      head = static_cast<std::uint16_t>(alternatives_.size() - 1);
    });
}

// Most have one piece, which is the anchor.
bool PatternIndex::fits(const Alternative& one, std::string_view text) {
  return one.text.size() == one.anchor.size() || has_in_order(one.text, text);
}

}  // namespace linerate::logs
