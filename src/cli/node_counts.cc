// See node_counts.h.
#include "cli/node_counts.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {
namespace {

// "A:B", or one number; false: neither, or not in the range.
bool add_counts(std::string_view text, WholeRange range, std::vector<int>& to) {
  const auto ends = split(text, ':');
  std::int64_t first = 0, last = 0;
  if (ends.size() > 2 || set_whole({{}, ends.front()}, range, first) ||
      set_whole({{}, ends.back()}, range, last) || last < first)
    return false;
  for (std::int64_t count = first; count < last; count *= 2) to.push_back(static_cast<int>(count));
  to.push_back(static_cast<int>(last));
  return true;
}

}  // namespace

Refusal set_node_counts(const Argument& given, WholeRange range, std::vector<int>& out) {
  out.clear();
  for (const auto& part : split(given.text, ',')) {
    if (part.empty())
      return fmt::format("{} '{}' has an empty part between commas: leave one comma out.",
                         given.label, given.text);
    if (!add_counts(part, range, out))
      return fmt::format(
          "{} '{}' has no numbers of nodes at '{}': give whole numbers from {} to {}, as in 16, "
          "1,2,8 or 1:4096, a range that doubles.",
          given.label, given.text, part, range.first, range.last);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return {};
}

}  // namespace linerate
