// See groups.h.
#include "bench/groups.h"

#include <algorithm>
#include <ranges>

namespace linerate {

std::map<int, int> group_sizes(const RunConfig& config, int nranks) {
  std::map<int, int> sizes;
  for (int rank = 0; rank < nranks; ++rank) ++sizes[config.split.color(rank)];
  return sizes;
}

int smallest_group(const RunConfig& config, int nranks) {
  return std::ranges::min(group_sizes(config, nranks) | std::views::values);
}

int largest_group(const RunConfig& config, int nranks) {
  return std::ranges::max(group_sizes(config, nranks) | std::views::values);
}

}  // namespace linerate
