// Writes a described type as a JSON object, and reads it back: the two sides of record/fields.h.
//
// Both build on nlohmann's ordered_json. The writer rounds numbers to the digits that mean
// something. The reader trusts nothing: it notes the first key whose value is of another type or
// out of range, and leaves that member alone.
#pragma once

#include "base/text.h"
#include "record/record.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace linerate::json {

using Json = nlohmann::ordered_json;

// Clocks tick in nanoseconds and runs last minutes: what follows the tenth digit is the rounding of
// binary fractions.
inline constexpr int kDigits = 10;

// The nearest number with kDigits significant digits, which is written with no more of them.
double rounded(double value);

// All numbers of it.
void round_numbers(Json& json);

// The object as a text of its own: indented, numbers rounded, and U+FFFD for what is no UTF-8.
std::string document(Json json);

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_pair = false;
template <typename A, typename B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

// The members of one object, in the order of the calls. A number that is not finite is absent, or
// null inside an array, so that places keep their meaning.
class Writer {
 public:
  explicit Writer(Json& object) : object_(object) {}

  template <typename T>
  void field(const char* key, const T& value) {
    if constexpr (is_optional<T>) {
      if (value) field(key, *value);
    } else if constexpr (std::floating_point<T>) {
      if (std::isfinite(value)) object_[key] = rounded(value);
    } else {
      object_[key] = json_of(value);
    }
  }

  template <typename T>
  void sparse(const char* key, const T& value) {
    if (!(value == T{})) field(key, value);
  }
  template <typename T>
  void sparse(const char* key, const std::vector<T>& values) {
    if (!values.empty()) field(key, values);
  }

  void exact(const char* key, double value) {
    if (std::isfinite(value)) object_[key] = value;
  }

  // As text, because many readers hold numbers as doubles, which would round them.
  void hex(const char* key, std::uint64_t bits) { object_[key] = fmt::format("{:#x}", bits); }

  template <typename Body>
  void group(const char* key, Body&& body) {
    Json object = Json::object();
    Writer inner(object);
    body(inner);
    object_[key] = std::move(object);
  }

  // A value that is no JSON stands as text.
  void members(const char* key, const std::vector<Setting>& settings) {
    Json& object = object_[key] = Json::object();
    for (const auto& [name, text] : settings) {
      Json value = Json::parse(text, nullptr, false);
      object[name] = value.is_discarded() ? Json(text) : std::move(value);
    }
  }
  // Absent where there is none.
  void members(const char* key, const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
    for (const auto& [name, count] : counts) object_[key][name] = count;
  }

  template <typename List, typename Rest>
  void either(const char* key, const List& list, const std::optional<Rest>& rest) {
    if (rest) return field(key, *rest);
    sparse(key, list);
  }

  void present(const char*, const auto&) {}
  void derived(const char* key, const auto& value) { field(key, value); }

 private:
  template <typename T>
  static Json json_of(const T& value) {
    if constexpr (std::floating_point<T>) {
      return rounded(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      return value;
    } else if constexpr (std::same_as<T, Placement> || std::same_as<T, Severity>) {
      return name_of(value);
    } else if constexpr (is_pair<T>) {
      return Json::array({json_of(value.first), json_of(value.second)});
    } else if constexpr (is_vector<T>) {
      Json array = Json::array();
      for (const auto& element : value) array.push_back(json_of(element));
      return array;
    } else {
      Json object = Json::object();
      Writer inner(object);
      fields(inner, value);
      return object;
    }
  }

  Json& object_;
};

// Each yields false, and leaves `into` alone, where `from` is not a value of that type or not in
// its range. null stands for a number that was not finite.
bool convert(const Json& from, std::string& into);
bool convert(const Json& from, double& into);
bool convert(const Json& from, bool& into);
bool convert(const Json& from, Placement& into);
bool convert(const Json& from, Severity& into);
template <std::integral T>
bool convert(const Json& from, T& into) {
  const auto assign = [&](auto value) {
    if (!std::in_range<T>(value)) return false;
    into = static_cast<T>(value);
    return true;
  };
  if (from.is_number_unsigned()) return assign(from.get<std::uint64_t>());
  return from.is_number_integer() && assign(from.get<std::int64_t>());
}

// The members of one object, by key in any order. `problem` collects the first wrong key; it and
// the object outlive the reader.
class Reader {
 public:
  Reader(const Json& object, std::string& problem) : object_(object), problem_(problem) {}

  // Leaves `into` alone where the key is absent.
  template <typename T>
  void field(std::string_view key, T& into) {
    if (const Json* value = find(key)) read(key, *value, into);
  }
  template <typename T>
  void sparse(std::string_view key, T& into) {
    field(key, into);
  }
  void exact(std::string_view key, double& into) { field(key, into); }

  void hex(std::string_view key, std::uint64_t& bits) {
    std::string text;
    field(key, text);
    if (text.empty()) return;
    const auto number = text.starts_with("0x") ? parse_hex(text.substr(2)) : std::nullopt;
    if (!number) return complain(key);
    bits = *number;
  }

  template <typename Body>
  void group(std::string_view key, Body&& body) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_object()) return complain(key);
    Reader inner(*value, problem_);
    body(inner);
  }

  void members(std::string_view key, std::vector<Setting>& settings) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_object()) return complain(key);
    for (const auto& [name, one] : value->items()) settings.push_back({name, one.dump()});
  }
  void members(std::string_view key, std::vector<std::pair<std::string, std::uint64_t>>& counts) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_object()) return complain(key);
    for (const auto& [name, one] : value->items())
      read(name, one, counts.emplace_back(name, 0).second);
  }

  template <typename List, typename Rest>
  void either(std::string_view key, List& list, std::optional<Rest>& rest) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (value->is_object()) return read(key, *value, rest);
    read(key, *value, list);
  }

  template <typename T>
  void present(std::string_view key, std::optional<T>& into) {
    if (find(key) != nullptr && !into) into.emplace();
  }
  void derived(std::string_view, const auto&) {}

  void complain(std::string_view key) {
    if (problem_.empty()) problem_ = key;
  }

 private:
  // Null where absent.
  const Json* find(std::string_view key) const {
    const auto at = object_.find(key);
    return at == object_.end() ? nullptr : &*at;
  }

  template <typename T>
  void read(std::string_view key, const Json& from, T& into) {
    if constexpr (is_optional<T>) {
      read(key, from, into.emplace());
    } else if constexpr (is_vector<T>) {
      if (!from.is_array()) return complain(key);
      into.assign(from.size(), {});
      for (std::size_t i = 0; i < into.size(); ++i) read(key, from[i], into[i]);
    } else if constexpr (is_pair<T>) {
      if (!from.is_array() || from.size() != 2) return complain(key);
      read(key, from[0], into.first);
      read(key, from[1], into.second);
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string> ||
                         std::same_as<T, Placement> || std::same_as<T, Severity>) {
      if (!convert(from, into)) complain(key);
    } else {
      if (!from.is_object()) return complain(key);
      Reader inner(from, problem_);
      fields(inner, into);
    }
  }

  const Json& object_;
  std::string& problem_;
};

}  // namespace linerate::json
