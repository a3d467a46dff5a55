// Which of a few words stand in a text, by one pass over it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linerate::logs {

// Of three characters a number below 1 << Bits; few have the same.
template <unsigned Bits>
constexpr std::size_t slot_of_three(std::uint32_t three) {
  return three * 0x9e3779b1U >> (32 - Bits);
}

// The three characters at the beginning of `text`, as one number.
constexpr std::uint32_t three_at(std::string_view text) {
  const auto of = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
  return of(0) | of(1) << 8U | of(2) << 16U;
}

// Calls `look(slot, at)` for each position that three characters begin at.
template <unsigned Bits, typename Look>
void each_slot(std::string_view text, const Look& look) {
  if (text.size() < 3) return;
  auto three = three_at(text) << 8U;
  for (std::size_t at = 0; at + 3 <= text.size(); ++at) {
    three = three >> 8U | std::uint32_t{static_cast<unsigned char>(text[at + 2])} << 16U;
    look(slot_of_three<Bits>(three), at);
  }
}

template <std::size_t Size>
class WordSet {
 public:
  static_assert(Size <= 64);

  // Words of three characters and more.
  constexpr explicit WordSet(const std::array<std::string_view, Size>& words) : words_(words) {
    for (std::size_t i = Size; i > 0; --i) {
      auto& head = heads_[slot_of_three<kBits>(three_at(words[i - 1]))];
      next_[i] = head;
      head = static_cast<std::uint8_t>(i);
    }
  }

  struct Found {
    std::uint64_t words = 0;                // a bit for each that is there
    std::array<std::size_t, Size> first{};  // where it is, if it is

    bool has(std::size_t word) const { return (words >> word & 1U) != 0; }
  };

  Found in(std::string_view text) const {
    Found found;
    each_slot<kBits>(text, [&](std::size_t slot, std::size_t at) {
      for (auto i = heads_[slot]; i != 0; i = next_[i]) {
        const auto word = i - 1U;
        if (found.has(word) || !text.substr(at).starts_with(words_[word])) continue;
        found.words |= std::uint64_t{1} << word;
        found.first[word] = at;
      }
    });
    return found;
  }

  // The bit of a word, which is one of them.
  constexpr std::uint64_t bit(std::string_view word) const {
    for (std::size_t i = 0; i < Size; ++i)
      if (words_[i] == word) return std::uint64_t{1} << i;
    return 0;
  }

 private:
  static constexpr unsigned kBits = 12;
  std::array<std::string_view, Size> words_;
  std::array<std::uint8_t, std::size_t{1} << kBits> heads_{};  // counted from 1; 0: none
  std::array<std::uint8_t, Size + 1> next_{};
};

}  // namespace linerate::logs
