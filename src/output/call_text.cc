// See call_text.h.
#include "output/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <vector>

namespace linerate {

std::string call_text(const CallFacts& call) {
  if (call.lost) return "unknown, because recording it failed";
  std::vector<std::string> words;
  for (const auto& word : {call.algorithm, call.protocol})
    if (!word.empty()) words.push_back(word);
  if (call.channels > 0)
    words.push_back(fmt::format("{} channel{}", call.channels, call.channels == 1 ? "" : "s"));
  return words.empty() ? "unknown" : fmt::format("{}", fmt::join(words, ", "));
}

std::string call_line(std::span<const Record> row) {
  assert(!row.empty());
  const auto& first = row.front().call;
  if (std::ranges::all_of(row, [&](const Record& record) { return record.call == first; }))
    return fmt::format("# algo: {}\n", call_text(first));
  std::vector<std::string> parts;
  for (const Record& record : row)
    parts.push_back(fmt::format("{} {}", name_of(record.what.placement), call_text(record.call)));
  return fmt::format("# algo: {}\n", fmt::join(parts, "; "));
}

}  // namespace linerate
