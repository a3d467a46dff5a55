// Reads the JSON of kept facts, whose file anybody may have written.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace linerate {

// Whether the value is a finite number of at least 0 that a Number holds.
template <typename Number>
bool can_be(const nlohmann::ordered_json& value) {
  if constexpr (std::is_integral_v<Number>)
    return value.is_number_unsigned() && std::in_range<Number>(value.get<std::uint64_t>());
  else
    return value.is_number() && value.get<double>() >= 0 && std::isfinite(value.get<double>());
}

// Takes keys from an object; says what is wrong with the first that is not as it should be.
class FactsReader {
 public:
  // `where` names the object in sentences; `object` must live as long.
  FactsReader(const nlohmann::ordered_json& object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object.is_object()) wrong_ = fmt::format("{} is not an object", where_);
  }

  // Leave `into` alone where the key is missing or of another kind.
  template <typename Number>
  void number(const char* key, Number& into) {
    const auto* found = find(key);
    if (found == nullptr) return;
    const bool fits = can_be<Number>(*found);
    if (fits)
      into = found->get<Number>();
    else
      wrong_ = fmt::format("'{}' of {} is no number that it can be", key, where_);
  }
  void text(const char* key, std::string& into) {
    const auto* found = find(key);
    if (found == nullptr) return;
    if (found->is_string())
      into = found->get<std::string>();
    else
      wrong_ = fmt::format("'{}' of {} is no text", key, where_);
  }
  // Each row of the list `key` by `read(reader, row)`.
  template <typename Row, typename Read>
  void rows(const char* key, std::vector<Row>& into, const Read& read) {
    const auto* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array() || found->size() > kMostRows) {
      wrong_ = fmt::format("'{}' of {} is no list of at most {} rows", key, where_, kMostRows);
      return;
    }
    for (const auto& item : *found) {
      FactsReader row(item, fmt::format("row {} of '{}'", into.size() + 1, key));
      read(row, into.emplace_back());
      if (!row.wrong_.empty()) wrong_ = row.wrong_;
    }
  }
  // Empty: nothing was.
  const std::string& wrong() const { return wrong_; }

 private:
  static constexpr std::size_t kMostRows = 256;  // of a list

  // Null where it is missing or something was wrong before.
  const nlohmann::ordered_json* find(const char* key) {
    if (!wrong_.empty()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    wrong_ = fmt::format("{} has no '{}'", where_, key);
    return nullptr;
  }

  const nlohmann::ordered_json& object_;
  std::string where_;
  std::string wrong_;
};

}  // namespace linerate
