// See values.h.
#include "cli/values.h"

#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace linerate {
namespace {

// "from 1 to 128", or "of at least 1" where the upper bound is only the type's.
std::string range_text(WholeRange range) {
  if (range.last == std::numeric_limits<std::int64_t>::max())
    return fmt::format("of at least {}", range.first);
  return fmt::format("from {} to {}", range.first, range.last);
}

bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && std::isdigit(static_cast<unsigned char>(text[1]));
}

}  // namespace

Result<std::int64_t> whole_number(const Argument& given, WholeRange range) {
  if (has_leading_zero(given.text))
    return Failure{
        fmt::format("{} '{}' begins with a zero, which C programs read as octal: write the number "
                    "without it.",
                    given.label, given.text)};
  const auto value = parse_integer(given.label, given.text);
  if (value && *value >= range.first && *value <= range.last) return *value;
  return Failure{
      fmt::format("{} '{}' is not a whole number {}.", given.label, given.text, range_text(range))};
}

Refusal set_switch(const Argument& given, bool& out) {
  constexpr std::array<Choice<bool>, 2> kSwitch{{{"0", false}, {"1", true}}};
  return set_choice<bool>(given, kSwitch, out);
}

Refusal set_bytes(const Argument& given, std::size_t least, std::size_t& out) {
  const auto bytes = parse_bytes(given.label, given.text);
  if (!bytes) return bytes.sentence();
  const bool bare = given.text.find_first_not_of("0123456789.+- ") == std::string_view::npos;
  if (bare && given.text.find('.') != std::string_view::npos)
    return fmt::format("{} '{}' is not a whole number of bytes: a suffix is missing, as in {}M.",
                       given.label, given.text, given.text);
  if (*bytes < least)
    return fmt::format("{} '{}' is too small: give at least {}.", given.label, given.text, least);
  out = *bytes;
  return {};
}

Refusal set_seconds(const Argument& given, double& out) {
  const auto seconds = parse_seconds(given.label, given.text);
  if (!seconds) return seconds.sentence();
  out = *seconds;
  return {};
}

Refusal set_number(const Argument& given, NumberRange bounds, double& out) {
  const auto number = parse_number(given.label, given.text);
  if (!number || *number < bounds.least || *number > bounds.most)
    return fmt::format("{} '{}' is not a number from {} to {}.", given.label, given.text,
                       bounds.least, bounds.most);
  out = *number;
  return {};
}

Refusal set_file(const Argument& given, std::string& out) {
  if (given.text.empty()) return fmt::format("{} needs the name of a file.", given.label);
  if (given.text == "-")
    return fmt::format("{} '-' is not a file: the table has stdout, so give a path.", given.label);
  out = given.text;
  return {};
}

}  // namespace linerate
