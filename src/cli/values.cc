// Numbers, sizes and files.
#include "cli/values.h"

#include "base/units.h"

#include <fmt/format.h>

#include <cctype>

namespace linerate {
namespace {

bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && std::isdigit(static_cast<unsigned char>(text[1]));
}

std::string octal_refusal(const Argument& given) {
  return fmt::format(
      "{} '{}' begins with a zero, which C programs read as octal: write the number without it.",
      given.label, given.text);
}

// "1.5" for 1.5M: a number of bytes with a point in it.
bool lacks_suffix(std::string_view text) {
  return text.find('.') != std::string_view::npos && parse_number("size", text).ok();
}

}  // namespace

Result<std::int64_t> whole_number(const Argument& given, WholeRange range) {
  if (has_leading_zero(given.text)) return Failure{octal_refusal(given)};
  const auto value = parse_integer(given.label, given.text);
  if (value && *value >= range.first && *value <= range.last) return *value;
  return Failure{fmt::format("{} '{}' is not a whole number from {} to {}.", given.label,
                             given.text, range.first, range.last)};
}

Result<std::size_t> whole_bytes(const Argument& given, std::size_t least) {
  if (has_leading_zero(given.text)) return Failure{octal_refusal(given)};
  if (lacks_suffix(given.text))
    return Failure{
        fmt::format("{} '{}' is not a whole number of bytes: a suffix is missing, as in {}M.",
                    given.label, given.text, given.text)};
  auto bytes = parse_bytes(given.label, given.text);
  if (!bytes || *bytes >= least) return bytes;
  return Failure{
      fmt::format("{} '{}' is too small: give at least {}.", given.label, given.text, least)};
}

Refusal set_seconds(const Argument& given, double& out) {
  return set_read(parse_seconds(given.label, given.text), out);
}

Result<double> number_within(const Argument& given, NumberRange limits) {
  auto number = parse_number(given.label, given.text);
  if (number && *number >= limits.min && *number <= limits.max) return number;
  return Failure{fmt::format("{} '{}' is not a number from {} to {}.", given.label, given.text,
                             limits.min, limits.max)};
}

Refusal set_file(const Argument& given, std::string& out) {
  if (given.text.empty()) return fmt::format("{} needs the name of a file.", given.label);
  if (given.text == "-")
    return fmt::format("{} '-' is not a file: the table has stdout, so give a path.", given.label);
  out = given.text;
  return {};
}

}  // namespace linerate
