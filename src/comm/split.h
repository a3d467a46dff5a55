// How communicators of libraries without a split of their own agree on one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate {

// What a rank says of itself in Communicator::split().
struct SplitChoice {
  std::int32_t color = 0;
  std::int32_t key = 0;
};

// The ranks of the colour of `rank`, in the order of their new group: by key, then by rank.
// `choices` are those of all ranks.
inline std::vector<int> split_group(std::span<const SplitChoice> choices, int rank) {
  const auto choice_of = [&](int r) { return choices[static_cast<std::size_t>(r)]; };
  std::vector<int> group;
  for (int peer = 0; peer < static_cast<int>(choices.size()); ++peer)
    if (choice_of(peer).color == choice_of(rank).color) group.push_back(peer);
  std::ranges::stable_sort(group, {}, [&](int peer) { return choice_of(peer).key; });
  return group;
}

}  // namespace linerate
