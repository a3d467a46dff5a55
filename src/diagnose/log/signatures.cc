// Looks up a message in the tables.
#include "diagnose/log/signatures.h"

#include <algorithm>

namespace linerate::logs {
namespace {

// Takes what stands before `separator` off `rest`; all of it where there is none.
std::string_view take_until(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const auto piece = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return piece;
}

bool has_in_order(std::string_view pieces, std::string_view text) {
  while (!pieces.empty()) {
    const auto piece = take_until(pieces, '*');
    const auto at = text.find(piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
  }
  return true;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  while (!pattern.empty())
    if (has_in_order(take_until(pattern, '|'), text)) return true;
  return false;
}

const Signature* find_signature(const Message& message) {
  for (const auto table : {network_signatures(), node_signatures(), job_signatures()}) {
    const auto row = std::ranges::find_if(table, [&](const Signature& one) {
      return (one.any_level || message.level == Level::warn) && matches(one.pattern, message.whole);
    });
    if (row != table.end()) return &*row;
  }
  return nullptr;
}

}  // namespace linerate::logs
