// See plain_text.h.
#include "base/plain_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace linerate {
namespace {

// A character of UTF-8 and the bytes that it takes.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

// The least code that a character of so many bytes may stand for: shorter forms are none.
constexpr std::uint32_t kMinCode[] = {0, 0, 0x80, 0x800, 0x10000};

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
  if (code < kMinCode[bytes]) return std::nullopt;
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

std::string shortened(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::size_t end = 0;
  for (std::size_t kept = 0; end < text.size(); ++end) {
    if (is_continuation(text[end])) continue;
    if (++kept > columns - std::min<std::size_t>(columns, 1)) break;
  }
  return std::string(text.substr(0, text.substr(0, end).find_last_not_of(' ') + 1)) + "…";
}

}  // namespace linerate
