// Neither level_of() nor a pattern tells one digit from another, but for patterns with digits. A
// text that none of those fits, with any digits, means the same with other digits.
#include "diagnose/log/meanings.h"

#include "base/text.h"
#include "diagnose/log/level.h"
#include "diagnose/log/pattern_index.h"

#include <algorithm>
#include <array>
#include <functional>

namespace linerate::logs {
namespace {

constexpr char blank(char c) { return is_digit(c) ? '0' : c; }

// The alternatives of all tables that have digits, as shapes.
std::string shapes_with_digits() {
  std::string shapes;
  for (const auto table : signature_tables())
    for (const auto& row : table)
      for (const auto& one : split(row.pattern, '|'))
        if (std::ranges::any_of(one, is_digit)) shapes.append(one).append(1, '|');
  std::ranges::transform(shapes, shapes.begin(), blank);
  return shapes;
}

bool digits_may_count(std::string_view shape) {
  static const std::string kShapes = shapes_with_digits();
  static const PatternIndex kIndex{std::array{PatternIndex::Pattern{kShapes, 0}}};
  return kIndex.first(shape, [](std::size_t) { return true; }) != PatternIndex::kNone;
}

}  // namespace

Meaning meaning_of(std::string_view text) {
  const auto level = level_of(text);
  return {level, find_signature({.level = level, .text = text, .whole = text})};
}

Meaning Meanings::of(std::string_view text) {
  constexpr std::size_t kLongest = 1024;
  if (text.size() > kLongest) return meaning_of(text);
  shape_.resize(text.size());
  std::ranges::transform(text, shape_.begin(), blank);
  auto& known = known_[std::hash<std::string_view>()(shape_) % kKnown];
  if (known.shape != shape_) {
    known.shape = shape_;
    known.meaning = meaning_of(text);
    known.digits = Digits::unknown;
  } else if (known.digits != Digits::idle) {
    if (known.digits == Digits::unknown)
      known.digits = digits_may_count(shape_) ? Digits::count : Digits::idle;
    if (known.digits == Digits::count) return meaning_of(text);
  }
  return known.meaning;
}

}  // namespace linerate::logs
