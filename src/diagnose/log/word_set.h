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

// The first position that three characters begin at for which `is_it(slot, at)`; the text's size
// where there is none.
template <unsigned Bits, typename IsIt>
std::size_t find_slot(std::string_view text, const IsIt& is_it) {
  if (text.size() < 3) return text.size();
  auto three = three_at(text) << 8U;
  for (std::size_t at = 0; at + 3 <= text.size(); ++at) {
    three = three >> 8U | std::uint32_t{static_cast<unsigned char>(text[at + 2])} << 16U;
    if (is_it(slot_of_three<Bits>(three), at)) return at;
  }
  return text.size();
}

// Calls `look(slot, at)` for each position that three characters begin at.
template <unsigned Bits, typename Look>
void each_slot(std::string_view text, const Look& look) {
  find_slot<Bits>(text, [&](std::size_t slot, std::size_t at) {
    look(slot, at);
    return false;
  });
}

// Words by the slot of their beginning.
template <std::size_t Size, unsigned Bits>
class WordTable {
 public:
  static_assert(Size < 256);

  // Words of three characters and more.
  constexpr explicit WordTable(const std::array<std::string_view, Size>& words) : words_(words) {
    for (std::size_t i = Size; i > 0; --i) {
      auto& head = heads_[slot_of_three<Bits>(three_at(words[i - 1]))];
      next_[i] = head;
      head = static_cast<std::uint8_t>(i);
    }
  }

  // Whether a word has this slot.
  bool has(std::size_t slot) const { return heads_[slot] != 0; }

  // Calls `take(word)` for each word of this slot that `text` begins with, until it is true;
  // whether it was.
  template <typename Take>
  bool any(std::size_t slot, std::string_view text, const Take& take) const {
    for (auto i = heads_[slot]; i != 0; i = next_[i])
      if (text.starts_with(words_[i - 1U]) && take(i - 1U)) return true;
    return false;
  }

  constexpr const std::array<std::string_view, Size>& words() const { return words_; }

 private:
  std::array<std::string_view, Size> words_;
  std::array<std::uint8_t, std::size_t{1} << Bits> heads_{};  // counted from 1; 0: none
  std::array<std::uint8_t, Size + 1> next_{};
};

template <std::size_t Size>
class WordSet {
 public:
  static_assert(Size <= 64);

  // Words of three characters and more.
  constexpr explicit WordSet(const std::array<std::string_view, Size>& words) : table_(words) {}

  struct Found {
    std::uint64_t words = 0;                // a bit for each that is there
    std::array<std::size_t, Size> first{};  // where it is, if it is

    bool has(std::size_t word) const { return (words >> word & 1U) != 0; }
  };

  Found in(std::string_view text) const {
    Found found;
    each_slot<kBits>(text, [&](std::size_t slot, std::size_t at) {
      table_.any(slot, text.substr(at), [&](std::size_t word) {
        if (!found.has(word)) found.first[word] = at;
        found.words |= std::uint64_t{1} << word;
        return false;
      });
    });
    return found;
  }

  // The bit of a word. REQUIRES: it is one of them; no other one compiles.
  consteval std::uint64_t bit(std::string_view word) const {
    std::size_t at = 0;
    while (table_.words().at(at) != word) ++at;
    return std::uint64_t{1} << at;
  }

 private:
  static constexpr unsigned kBits = 12;
  WordTable<Size, kBits> table_;
};

}  // namespace linerate::logs
