// Reads the JSON of kept facts, whose file anybody may have written.
#pragma once

#include "record/json_io.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

// Takes keys from an object; says what is wrong with the first that is not as it should be.
class FactsReader {
 public:
  // `where` names the object in sentences; `object` must live as long.
  FactsReader(const json::Json& object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object.is_object()) wrong_ = fmt::format("{} is not an object", where_);
  }

  // Leave `into` alone where the key is missing or of another kind.
  template <typename Number>
  void number(const char* key, Number& into) {
    const auto* found = find(key);
    if (found == nullptr) return;
    Number value{};
    if (json::convert(*found, value) && value >= 0 && std::isfinite(static_cast<double>(value)))
      into = value;
    else
      wrong_ = fmt::format("'{}' of {} is no number that it can be", key, where_);
  }
  void text(const char* key, std::string& into) {
    const auto* found = find(key);
    if (found == nullptr) return;
    if (!json::convert(*found, into)) wrong_ = fmt::format("'{}' of {} is no text", key, where_);
  }
  // Each row of the list `key` by `read(reader, row)`.
  template <typename Row, typename Read>
  void rows(const char* key, std::vector<Row>& into, const Read& read) {
    const auto* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array() || found->size() > kMaxRows) {
      wrong_ = fmt::format("'{}' of {} is no list of at most {} rows", key, where_, kMaxRows);
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
  static constexpr std::size_t kMaxRows = 256;  // of a list

  // Null where it is missing or something was wrong before.
  const json::Json* find(const char* key) {
    if (!wrong_.empty()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    wrong_ = fmt::format("{} has no '{}'", where_, key);
    return nullptr;
  }

  const json::Json& object_;
  std::string where_;
  std::string wrong_;
};

}  // namespace linerate
