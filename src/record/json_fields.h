// Typed reading of JSON objects: a wrong type is noted once and never trusted.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::json {

using Json = nlohmann::ordered_json;

// All declared before they are used, because they nest in each other.
template <std::integral T>
bool convert(const Json& from, T& into);
template <typename T>
bool convert(const Json& from, std::optional<T>& into);
template <typename A, typename B>
bool convert(const Json& from, std::pair<A, B>& into);
template <typename T>
bool convert(const Json& from, std::vector<T>& into);

// Yields false, and leaves `into` alone, where `from` is not a value of that type or not in its
// range.
inline bool convert(const Json& from, std::string& into) {
  if (!from.is_string()) return false;
  into = from.get_ref<const std::string&>();
  return true;
}

// null stands for a number that was not finite.
inline bool convert(const Json& from, double& into) {
  if (from.is_null()) return into = std::nan(""), true;
  if (!from.is_number()) return false;
  into = from.get<double>();
  return true;
}

inline bool convert(const Json& from, bool& into) {
  if (!from.is_boolean()) return false;
  into = from.get<bool>();
  return true;
}

template <std::integral T>
bool convert(const Json& from, T& into) {
  if (from.is_number_unsigned()) {
    const auto value = from.get<std::uint64_t>();
    if (!std::in_range<T>(value)) return false;
    into = static_cast<T>(value);
    return true;
  }
  if (!from.is_number_integer() || !std::in_range<T>(from.get<std::int64_t>())) return false;
  into = static_cast<T>(from.get<std::int64_t>());
  return true;
}

template <typename T>
bool convert(const Json& from, std::optional<T>& into) {
  T value{};
  if (!convert(from, value)) return false;
  into = std::move(value);
  return true;
}

template <typename A, typename B>
bool convert(const Json& from, std::pair<A, B>& into) {
  return from.is_array() && from.size() == 2 && convert(from[0], into.first) &&
         convert(from[1], into.second);
}

template <typename T>
bool convert(const Json& from, std::vector<T>& into) {
  if (!from.is_array()) return false;
  std::vector<T> values(from.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!convert(from[i], values[i])) return false;
  into = std::move(values);
  return true;
}

// The members of one line or of an object in it. `problem` collects the first wrong key; it
// outlives the fields.
class Fields {
 public:
  Fields(const Json& object, std::string& problem) : object_(object), problem_(problem) {
    if (!object.is_object()) complain("kind");
  }

  // Leaves `into` alone where the key is absent.
  template <typename T>
  void read(std::string_view key, T& into) const {
    const Json* value = find(key);
    if (value != nullptr && !convert(*value, into)) complain(key);
  }

  // Null where absent.
  const Json* find(std::string_view key) const {
    if (!object_.is_object()) return nullptr;
    const auto at = object_.find(std::string(key));
    return at == object_.end() ? nullptr : &*at;
  }

  // Calls `body(fields)` with the members of the object under `key`, if there is one.
  template <typename Body>
  void with(std::string_view key, Body&& body) const {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_object()) return complain(key);
    body(Fields(*value, problem_));
  }

  // Calls `body(fields)` for each object of the array under `key`, if there is one.
  template <typename Body>
  void each(std::string_view key, Body&& body) const {
    const Json* array = find(key);
    if (array == nullptr) return;
    if (!array->is_array()) return complain(key);
    for (const auto& element : *array) {
      if (!element.is_object()) return complain(key);
      body(Fields(element, problem_));
    }
  }

  void complain(std::string_view key) const {
    if (problem_.empty()) problem_ = key;
  }
  std::string& problem() const { return problem_; }

 private:
  const Json& object_;
  std::string& problem_;
};

}  // namespace linerate::json
