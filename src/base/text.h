// Small pure functions on text: splitting, numbers, sentences about wrong choices, and foreign text
// made safe to show.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// The pieces between separators; empty pieces are kept, so split("", ',') yields one.
std::vector<std::string> split(std::string_view text, char separator);

// Without blanks, tabs and line ends on both sides.
std::string_view trim(std::string_view text);

// With small letters of ASCII.
std::string lower(std::string_view text);

std::string join(std::span<const std::string_view> parts, std::string_view separator);

// A whole decimal, 0x or 0b number with nothing behind it; `what` names it in the sentence.
Result<std::int64_t> parse_integer(std::string_view what, std::string_view text);

// All of `digits` as a hexadecimal number without 0x; nothing where it is none of 64 bits.
std::optional<std::uint64_t> parse_hex(std::string_view digits);

// A whole decimal floating-point number with nothing behind it; infinities and nan are refused.
Result<double> parse_number(std::string_view what, std::string_view text);

// The number that `text` begins with, where `unit` follows it at once; else 0.
double number_before(std::string_view unit, std::string_view text);

// The choice with the fewest edits from `text`, or nothing where none is near: within a third of
// the longer word's length, at least one edit; neighbours swapped are one.
std::string_view nearest_match(std::string_view text, std::span<const std::string_view> choices);

// "Unknown data type 'fp16': choose one of int8, half, … Did you mean 'half'?"
std::string unknown_choice(std::string_view what, std::string_view text,
                           std::span<const std::string_view> choices);

// The text with a question mark for each control character and each byte that is no UTF-8: neither
// a terminal nor an XML parser takes offence at it.
std::string plain_text(std::string_view text);

// "1 GPU", "8 GPUs", "2 switches".
std::string counted(std::size_t n, std::string_view word);

// FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): the same in every build.
std::uint64_t fnv1a(std::string_view text);

// Characters of UTF-8, which is how many columns a terminal needs for Latin text.
std::size_t columns_of(std::string_view text);

// The text where it fits, else its beginning and an ellipsis.
std::string shortened(std::string_view text, std::size_t columns);

// The word as a shell takes it: quoted where it has to be.
std::string shell_word(std::string_view word);

}  // namespace linerate
