// Rounding goes through the decimal text, which is what readers see.
#include "record/json_io.h"

#include <array>
#include <charconv>

namespace linerate::json {

double rounded(double value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> text{};
  const auto end = fmt::format_to_n(text.data(), text.size(), "{:.{}g}", value, kDigits).out;
  std::from_chars(text.data(), end, value);
  return value;
}

void round_numbers(Json& json) {
  if (json.is_number_float()) json = rounded(json.get<double>());
  if (json.is_structured())
    for (auto& element : json) round_numbers(element);
}

std::string document(Json json) {
  constexpr int kIndent = 2;
  round_numbers(json);
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + '\n';
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

bool convert(const Json& from, Placement& into) {
  for (const auto placement : {Placement::out_of_place, Placement::in_place})
    if (from == name_of(placement)) return into = placement, true;
  return false;
}

bool convert(const Json& from, Severity& into) {
  for (const auto severity : {Severity::info, Severity::warning, Severity::problem})
    if (from == name_of(severity)) return into = severity, true;
  return false;
}

}  // namespace linerate::json
