// Groups are formed in ascending order of colour.
#include "launch/threads/split.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace linerate {
namespace {

bool share_a_process(const std::set<int>& taken, const ColorGroup& group) {
  return std::ranges::any_of(group.processes, [&](int process) { return taken.contains(process); });
}

}  // namespace

std::vector<ColorGroup> color_groups(std::span<const ThreadChoice> choices) {
  std::map<int, std::vector<int>> by_color;
  for (std::size_t rank = 0; rank < choices.size(); ++rank)
    if (choices[rank].color >= 0) by_color[choices[rank].color].push_back(static_cast<int>(rank));
  std::vector<ColorGroup> groups;
  for (auto& [color, members] : by_color) {
    const auto choice = [&](int rank) { return choices[static_cast<std::size_t>(rank)]; };
    std::ranges::sort(members, [&](int a, int b) {
      return std::tuple(choice(a).key, a) < std::tuple(choice(b).key, b);
    });
    ColorGroup group{color, std::move(members), {}};
    for (const int rank : group.members)
      if (std::ranges::find(group.processes, choice(rank).process) == group.processes.end())
        group.processes.push_back(choice(rank).process);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<std::vector<std::size_t>> split_rounds(std::span<const ColorGroup> groups) {
  std::vector<std::vector<std::size_t>> rounds;
  std::vector<std::set<int>> taken;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].processes.size() < 2) continue;
    std::size_t round = 0;
    while (round < rounds.size() && share_a_process(taken[round], groups[i])) ++round;
    if (round == rounds.size()) {
      rounds.emplace_back();
      taken.emplace_back();
    }
    rounds[round].push_back(i);
    taken[round].insert(groups[i].processes.begin(), groups[i].processes.end());
  }
  return rounds;
}

}  // namespace linerate
