#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace linerate {
namespace {

// Characters inserted, left out, replaced, or swapped with their neighbour: optimal string
// alignment.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::vector<std::size_t>;
  Row before, above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    Row row(b.size() + 1, i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = above[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(above, std::move(row));
  }
  return above.back();
}

// A third of the longer word, at least 1, and never all of either word.
bool near(std::size_t distance, std::string_view a, std::string_view b) {
  const std::size_t most = std::max<std::size_t>(1, std::max(a.size(), b.size()) / 3);
  return distance <= most && distance < std::min(a.size(), b.size());
}

int base_of(std::string_view& digits) {
  if (digits.starts_with("0x") || digits.starts_with("0X")) return digits.remove_prefix(2), 16;
  if (digits.starts_with("0b") || digits.starts_with("0B")) return digits.remove_prefix(2), 2;
  return 10;
}

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

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts.begin(), parts.end(), separator));
}

Result<std::int64_t> parse_integer(std::string_view what, std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const int base = base_of(digits);
  std::int64_t value = 0;
  const auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (code == std::errc::result_out_of_range)
    return Failure{fmt::format("{} '{}' is too large for a 64-bit integer.", what, text)};
  const bool whole = code == std::errc{} && end == digits.data() + digits.size();
  if (!whole || digits.front() == '-')
    return Failure{fmt::format("{} '{}' is not a whole number.", what, text)};
  return negative ? -value : value;
}

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, value, 16);
  return code == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

Result<double> parse_number(std::string_view what, std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return Failure{fmt::format("{} '{}' is not a number.", what, text)};
  return value;
}

double number_before(std::string_view unit, std::string_view text) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  return code == std::errc{} && std::string_view(end, last).starts_with(unit) ? value : 0;
}

std::string_view nearest_match(std::string_view text, std::span<const std::string_view> choices) {
  std::string_view best;
  std::size_t best_distance = text.size();
  for (const auto choice : choices) {
    const auto distance = edit_distance(text, choice);
    if (distance < best_distance && near(distance, text, choice)) {
      best_distance = distance;
      best = choice;
    }
  }
  return best;
}

std::string unknown_choice(std::string_view what, std::string_view text,
                           std::span<const std::string_view> choices) {
  auto sentence =
      fmt::format("Unknown {} '{}': choose one of {}.", what, text, join(choices, ", "));
  if (const auto near = nearest_match(text, choices); !near.empty())
    sentence += fmt::format(" Did you mean '{}'?", near);
  return sentence;
}

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

std::string counted(std::size_t n, std::string_view word) {
  const bool takes_es = word.ends_with("ch") || word.ends_with("ss");
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : takes_es ? "es" : "s");
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
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

std::string shell_word(std::string_view word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=.,:/@%^").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

}  // namespace linerate
