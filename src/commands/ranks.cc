// See ranks.h.
#include "commands/ranks.h"

#include "cli/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace linerate {
namespace {

constexpr std::int64_t kMostRanks = 65536;  // that the generated data can tell apart

}  // namespace

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

std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks) {
  if (nranks > kMostRanks)
    return fmt::format(
        "{} ranks are more than the {} that can run together: use fewer processes, "
        "or a smaller -t or -g.",
        nranks, kMostRanks);
  for (const auto& [color, size] : group_sizes(config, static_cast<int>(nranks)))
    if (auto refusal = check_against_ranks(config, size)) return refusal;
  return std::nullopt;
}

}  // namespace linerate
