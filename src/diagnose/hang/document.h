// Values of a pickle or a JSON text as a flat list, in which lists and dicts name their items by
// place. Nothing is copied, however often a value is used, and nothing is ever executed.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::hang {

enum class ValueKind : std::uint8_t { none, boolean, integer, real, text, list, dict };

struct Value {
  ValueKind kind = ValueKind::none;
  std::int64_t integer = 0;  // 0 or 1 of a boolean
  double real = 0;
  std::string text{};
  std::vector<std::uint32_t> items{};  // of a dict: key, value, key, value
};

class Document {
 public:
  std::uint32_t add(Value value) {
    values_.push_back(std::move(value));
    return static_cast<std::uint32_t>(values_.size() - 1);
  }
  std::size_t size() const { return values_.size(); }
  Value& at(std::uint32_t place) { return values_[place]; }
  const Value& at(std::uint32_t place) const { return values_[place]; }

  std::uint32_t root = 0;

  // The value of a key among the first 64 of a dict; null: there is none. The keys that are asked
  // for are those of dicts with a fixed set of keys.
  const Value* find(const Value& dict, std::string_view key) const;
  std::string_view text(const Value& dict, std::string_view key) const;  // empty: none
  // Also of a boolean, and of a text that is a number; `otherwise`: none.
  std::int64_t integer(const Value& dict, std::string_view key, std::int64_t otherwise) const;

 private:
  std::deque<Value> values_;
};

// A pickle of lists, tuples, dicts, texts, numbers, booleans and None, of protocol 2 to 5. All else
// is refused, what names or calls code before all, as is what is too large or too deep. Sentences
// go on behind a name and a colon.
Result<Document> read_pickle(std::string_view bytes);
Result<Document> read_json(std::string_view text);

}  // namespace linerate::hang
