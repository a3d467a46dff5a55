// Which threads of which processes form which group after a split: pure, the same on every member.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// What one member of the group that is split chose, and where it lives.
struct ThreadChoice {
  int color = 0;  // < 0: no group
  int key = 0;
  int process = 0;
  int host = 0;  // equal numbers are one host
};

// One group of a split.
struct ColorGroup {
  int color = 0;
  std::vector<int> members;    // old ranks, in the new order: by (key, old rank)
  std::vector<int> processes;  // each once, in the order of its lowest new rank
};

// In ascending order of colour; `choices` is indexed by old rank.
std::vector<ColorGroup> color_groups(std::span<const ThreadChoice> choices);

// Indices of the groups that span several processes, in rounds: within a round no process is in two
// groups, so that one split of the processes serves the whole round.
std::vector<std::vector<std::size_t>> split_rounds(std::span<const ColorGroup> groups);

}  // namespace linerate
