// Which of many patterns stands in a text. One pass over it finds a piece of each, the one that
// fewest patterns have; only patterns whose piece is there are looked at.
#pragma once

#include "diagnose/log/word_set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace linerate::logs {

// Pieces between '*' stand in the text in this order; '|' separates alternatives.
bool matches(std::string_view pattern, std::string_view text);

class PatternIndex {
 public:
  struct Pattern {
    std::string_view text{};  // as of matches()
    std::size_t row = 0;      // of several that match the lowest counts; not falling
  };
  static constexpr auto kNone = static_cast<std::size_t>(-1);

  explicit PatternIndex(std::span<const Pattern> patterns);

  // The first row with a pattern that matches and that `accepts(row)`; kNone: there is none.
  template <typename Accepts>
  std::size_t first(std::string_view text, const Accepts& accepts) const {
    auto best = kNone;
    const auto look_at = [&](std::uint16_t index, std::string_view rest) {
      for (; index != 0 && alternatives_[index].row < best; index = alternatives_[index].next) {
        const auto& one = alternatives_[index];
        const auto size = one.anchor.size();
        if (size > rest.size() || (size > 0 && rest[size - 1] != one.anchor.back())) continue;
        if (rest.starts_with(one.anchor) && accepts(one.row) && fits(one, text)) best = one.row;
      }
    };
    look_at(short_, text);
    each_slot<kBits>(text, [&](std::size_t slot, std::size_t at) {
      if (heads_[slot] != 0) look_at(heads_[slot], text.substr(at));
    });
    return best;
  }

 private:
  struct Alternative {
    std::string_view text{}, anchor{};  // its rarest piece; empty: none is long enough
    std::size_t row = 0;
    std::uint16_t next = 0;  // with such a beginning; 0: none
  };
  static constexpr unsigned kBits = 13;

  static bool fits(const Alternative& one, std::string_view text);

  std::vector<Alternative> alternatives_{1};
  std::array<std::uint16_t, std::size_t{1} << kBits> heads_{};  // by the anchor's beginning
  std::uint16_t short_ = 0;                                     // of those without an anchor
};

}  // namespace linerate::logs
