// Which of many patterns stands in a text. One pass over it finds three characters of each, those
// that fewest patterns have; only patterns whose three are there are looked at.
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
    const auto look_at = [&](std::uint16_t index, std::size_t at) {
      for (; index != 0 && alternatives_[index].row < best; index = alternatives_[index].next) {
        const auto& one = alternatives_[index];
        if (at >= one.offset && stands_at(one.anchor, text, at - one.offset) && accepts(one.row) &&
            fits(one, text))
          best = one.row;
      }
    };
    look_at(short_, 0);
    each_slot<kBits>(text, [&](std::size_t slot, std::size_t at) {
      if (heads_[slot] != 0) look_at(heads_[slot], at);
    });
    return best;
  }

 private:
  struct Alternative {
    std::string_view text{}, anchor{};  // a piece of it; empty: none is long enough
    std::size_t offset = 0;             // of the three characters in it
    std::size_t row = 0;
    std::uint16_t next = 0;  // with such three; 0: none
  };
  static constexpr unsigned kBits = 13;

  static bool stands_at(std::string_view piece, std::string_view text, std::size_t at) {
    return piece.empty() ||
           (text.size() - at >= piece.size() && text[at + piece.size() - 1] == piece.back() &&
            text.substr(at, piece.size()) == piece);
  }
  static bool fits(const Alternative& one, std::string_view text);

  std::vector<Alternative> alternatives_{1};
  std::array<std::uint16_t, std::size_t{1} << kBits> heads_{};  // by three characters
  std::uint16_t short_ = 0;                                     // of those without an anchor
};

}  // namespace linerate::logs
