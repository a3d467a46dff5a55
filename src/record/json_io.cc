// Rounding goes through the decimal text, which is what readers see.
#include "record/json_io.h"

#include <array>
#include <initializer_list>

namespace linerate::json {

double rounded(double value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> text{};
  const auto end = fmt::format_to_n(text.data(), text.size(), "{:.{}g}", value, kDigits).out;
  std::from_chars(text.data(), end, value);
  return value;
}

bool convert(const Json& from, std::string& into) {
  if (!from.is_string()) return false;
  into = from.get_ref<const std::string&>();
  return true;
}

bool convert(const Json& from, double& into) {
  if (from.is_null()) return into = std::nan(""), true;
  if (!from.is_number()) return false;
  into = from.get<double>();
  return true;
}

bool convert(const Json& from, bool& into) {
  if (!from.is_boolean()) return false;
  into = from.get<bool>();
  return true;
}

namespace {

// The one of `all` that has this name.
template <typename T>
bool convert_name(const Json& from, std::initializer_list<T> all, T& into) {
  if (!from.is_string()) return false;
  for (const auto one : all) {
    if (from.get_ref<const std::string&>() != name_of(one)) continue;
    into = one;
    return true;
  }
  return false;
}

}  // namespace

bool convert(const Json& from, Placement& into) {
  return convert_name(from, {Placement::out_of_place, Placement::in_place}, into);
}

bool convert(const Json& from, Severity& into) {
  return convert_name(from, {Severity::info, Severity::warning}, into);
}

}  // namespace linerate::json
