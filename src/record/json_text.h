// JSON that nobody vouches for, in any length: nesting and keys are bounded, and of a long array of
// objects only those that are asked for are ever kept.
#pragma once

#include "record/json_io.h"

#include <functional>
#include <optional>
#include <string_view>

namespace linerate::json {

// Takes each object of the arrays of the document's object, such as an event of "traceEvents";
// they are not in what is yielded.
using Visit = std::function<void(const Json& object)>;

// Nothing: the text is no JSON, or nests deeper or has objects of more keys than anyone writes.
std::optional<Json> parse_bounded(std::string_view text, const Visit& visit = {});

// Writes the value of a key; false where there is none of that type. No number is NaN.
template <typename T>
bool get(const Json& object, const char* key, T& into) {
  const auto at = object.find(key);
  return at != object.end() && !at->is_null() && convert(*at, into);
}

}  // namespace linerate::json
