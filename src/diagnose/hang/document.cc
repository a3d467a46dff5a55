// JSON as a document, and what both kinds of texts share.
#include "diagnose/hang/document.h"

#include "base/text.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace linerate::hang {
namespace {

constexpr int kMostDepth = 32;
constexpr std::size_t kMostJsonValues = 4'000'000;

std::optional<std::uint32_t> add_json(Document& document, const nlohmann::json& json, int depth) {
  if (depth > kMostDepth || document.size() > kMostJsonValues) return {};
  Value value;
  if (json.is_string()) {
    value = {.kind = ValueKind::text, .text = json.get<std::string>()};
  } else if (json.is_boolean()) {
    value = {.kind = ValueKind::boolean, .integer = json.get<bool>() ? 1 : 0};
  } else if (json.is_number_float()) {
    value = {.kind = ValueKind::real, .real = json.get<double>()};
  } else if (json.is_number()) {
    value = {.kind = ValueKind::integer, .integer = json.get<std::int64_t>()};
  } else if (json.is_structured()) {
    value.kind = json.is_array() ? ValueKind::list : ValueKind::dict;
    for (const auto& [key, item] : json.items()) {
      if (json.is_object())
        value.items.push_back(document.add({.kind = ValueKind::text, .text = key}));
      const auto place = add_json(document, item, depth + 1);
      if (!place) return {};
      value.items.push_back(*place);
    }
  }
  return document.add(std::move(value));
}

}  // namespace

Result<Document> read_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return Failure{": it is neither JSON nor a pickle."};
  Document document;
  const auto root = add_json(document, json, 0);
  if (!root) return Failure{": it is JSON that is too deep, or holds too many values."};
  document.root = *root;
  return document;
}

const Value* Document::find(const Value& dict, std::string_view key) const {
  constexpr std::size_t kMostKeys = 64;
  if (dict.kind != ValueKind::dict) return nullptr;
  for (std::size_t i = 0; i + 1 < dict.items.size() && i < 2 * kMostKeys; i += 2)
    if (const auto& name = at(dict.items[i]); name.kind == ValueKind::text && name.text == key)
      return &at(dict.items[i + 1]);
  return nullptr;
}

std::string_view Document::text(const Value& dict, std::string_view key) const {
  const auto* value = find(dict, key);
  return value != nullptr && value->kind == ValueKind::text ? std::string_view(value->text)
                                                            : std::string_view();
}

std::int64_t Document::integer(const Value& dict, std::string_view key,
                               std::int64_t otherwise) const {
  const auto* value = find(dict, key);
  if (value == nullptr) return otherwise;
  if (value->kind == ValueKind::integer || value->kind == ValueKind::boolean) return value->integer;
  const auto number = parse_integer("", value->text);
  return number ? *number : otherwise;
}

}  // namespace linerate::hang
