// See plain_text.h.
#include "topo/show/plain_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace linerate::topo {
namespace {

// A character of UTF-8 and the bytes that it takes.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

// The least code that a character of so many bytes may stand for: shorter forms are none.
constexpr std::uint32_t kLeastCode[] = {0, 0, 0x80, 0x800, 0x10000};

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

std::size_t bytes_after_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc0 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf8 ? 4 : 0;
}

// The first character of `text`; nothing where it begins with no UTF-8. REQUIRES: text not empty.
std::optional<Character> first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = bytes_after_lead(lead);
  if (bytes == 0 || bytes > text.size()) return std::nullopt;
  std::uint32_t code = bytes == 1 ? lead : lead & (0xffU >> (bytes + 1));
  for (const char byte : text.substr(1, bytes - 1)) {
    if (!is_continuation(byte)) return std::nullopt;
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  if (code < kLeastCode[bytes]) return std::nullopt;
  return Character{code, bytes};
}

// Neither a control character, a surrogate nor a code that is none of Unicode; nor one that turns
// the direction of what follows.
bool is_shown(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !control && !surrogate && !turns && code != 0xfffe && code != 0xffff && code <= 0x10ffff;
}

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
  constexpr std::size_t kMostDigits = 9;
  const auto digits = name.size() - (name.find_last_not_of("0123456789") + 1);
  const auto stem = name.substr(0, name.size() - digits);
  const auto tail = name.substr(stem.size());
  const bool padded = tail.size() > 1 && tail.front() == '0';
  if (digits == 0 || digits > kMostDigits || padded) return {name, -1};
  return {stem, *parse_integer("number", tail)};
}

bool follows(std::string_view name, std::string_view before) {
  const auto a = numbered(before), b = numbered(name);
  return a.number >= 0 && b.stem == a.stem && b.number == a.number + 1;
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    const bool shown = character && is_shown(character->code);
    plain += shown ? text.substr(0, bytes) : std::string_view("?");
    text.remove_prefix(bytes);
  }
  return plain;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !is_continuation(byte); }));
}

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

std::string shortened(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::size_t end = 0;
  for (std::size_t kept = 0; end < text.size(); ++end) {
    if (is_continuation(text[end])) continue;
    if (++kept > columns - std::min<std::size_t>(columns, 1)) break;
  }
  return std::string(without_end_blanks(text.substr(0, end))) + "…";
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
