// NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK: which ranks form a group; see values.h.
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace linerate {
namespace {

using Kind = SplitRule::Kind;

struct Operator {
  std::string_view name;
  Kind kind;
};
constexpr std::array<Operator, 8> kOperators{{{"AND", Kind::bit_and},
                                              {"OR", Kind::bit_or},
                                              {"MOD", Kind::mod},
                                              {"DIV", Kind::div},
                                              {"&", Kind::bit_and},
                                              {"|", Kind::bit_or},
                                              {"%", Kind::mod},
                                              {"/", Kind::div}}};

bool begins_with(std::string_view text, std::string_view name) {
  const auto same = [](char typed, char wanted) {
    return std::toupper(static_cast<unsigned char>(typed)) == wanted;
  };
  return text.size() >= name.size() &&
         std::equal(name.begin(), name.end(), text.begin(),
                    [&](char wanted, char typed) { return same(typed, wanted); });
}

// The operator's part of the text, for the sentence: letters or one sign.
std::string_view operator_part(std::string_view text) {
  const auto end = text.find_first_of("0123456789 ");
  return text.substr(0, end);
}

}  // namespace

Refusal set_split(const Argument& given, SplitRule& out) {
  const auto row = std::ranges::find_if(
      kOperators, [&](const Operator& o) { return begins_with(given.text, o.name); });
  if (row == kOperators.end()) {
    constexpr std::array<std::string_view, 8> kNames{"AND", "OR", "MOD", "DIV", "&", "|", "%", "/"};
    return fmt::format(
        "{} Write it in front of a number, as in MOD8.",
        unknown_choice(std::string(given.label) + " operator", operator_part(given.text), kNames));
  }
  const auto digits = trim(given.text.substr(row->name.size()));
  const bool divides = row->kind == Kind::mod || row->kind == Kind::div;
  std::uint64_t value = 0;
  const WholeRange range{divides ? 1 : 0, std::numeric_limits<int>::max()};
  if (set_whole({given.label, digits}, range, value))
    return fmt::format("{} '{}' has no usable number: {} takes a whole number from {} to {}.",
                       given.label, given.text, row->name, range.first, range.last);
  out = {.kind = row->kind, .value = value};
  return {};
}

Refusal set_split_mask(const Argument& given, SplitRule& out) {
  auto digits = given.text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, value, 16);
  if (code != std::errc{} || end != last)
    return fmt::format("{} '{}' is not a hexadecimal number of up to 64 bits, such as 0x7.",
                       given.label, given.text);
  out = {.kind = Kind::bit_and, .value = value};
  return {};
}

}  // namespace linerate
