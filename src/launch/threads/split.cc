// Groups are formed in ascending order of colour: all choices are gathered, then processes that
// share a colour connect.
#include "launch/threads/split.h"

#include "base/wire.h"
#include "launch/solo_bootstrap.h"
#include "launch/threads/group.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace linerate {
namespace {

bool share_a_process(const std::set<int>& taken, const ColorGroup& group) {
  return std::ranges::any_of(group.processes, [&](int process) { return taken.contains(process); });
}

// Where `process` stands in the group; -1: nowhere.
int position_in(const ColorGroup& group, int process) {
  const auto found = std::ranges::find(group.processes, process);
  return found == group.processes.end() ? -1 : static_cast<int>(found - group.processes.begin());
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

std::shared_ptr<const ThreadGroup::Outcome> ThreadGroup::split(int member,
                                                               const ThreadChoice& choice,
                                                               const Deadline& deadline) {
  auto mine = choice;
  mine.process = process_.rank();
  return collective_call(
      member, WireWriter().put(mine).bytes(), {"split", deadline},
      [&](std::span<const Bytes> inputs) { return split_all(inputs, deadline); });
}

ThreadGroup::Outcome ThreadGroup::split_all(std::span<const Bytes> inputs,
                                            const Deadline& deadline) {
  Outcome outcome;
  const auto packed = in_rank_order(process_.all_gather(pack_local(inputs), deadline));
  for (const auto& choice : packed) outcome.choices.push_back(read_whole<ThreadChoice>(choice));
  const auto groups = color_groups(outcome.choices);

  std::map<int, std::unique_ptr<Bootstrap>> connected;  // by colour
  for (const auto& round : split_rounds(groups)) connect_round(groups, round, deadline, connected);

  for (const auto& group : groups) {
    if (position_in(group, process_.rank()) < 0) continue;
    auto process =
        group.processes.size() > 1 ? std::move(connected[group.color]) : solo_bootstrap();
    outcome.groups[group.color] = form(group, outcome.choices, std::move(process));
  }
  return outcome;
}

void ThreadGroup::connect_round(std::span<const ColorGroup> groups,
                                std::span<const std::size_t> round, const Deadline& deadline,
                                std::map<int, std::unique_ptr<Bootstrap>>& connected) {
  int color = -1;
  int key = 0;
  for (const auto index : round) {
    const int position = position_in(groups[index], process_.rank());
    if (position < 0) continue;
    color = groups[index].color;
    key = position;
  }
  auto process = process_.split(color, key, deadline);
  if (color >= 0) connected[color] = std::move(process);
}

std::shared_ptr<ThreadGroup> ThreadGroup::form(const ColorGroup& group,
                                               std::span<const ThreadChoice> choices,
                                               std::unique_ptr<Bootstrap> process) const {
  Layout layout(group.processes.size());
  for (std::size_t rank = 0; rank < group.members.size(); ++rank) {
    const auto& choice = choices[static_cast<std::size_t>(group.members[rank])];
    const auto position = static_cast<std::size_t>(position_in(group, choice.process));
    layout[position].push_back(static_cast<int>(rank));
  }
  return std::make_shared<ThreadGroup>(job_, std::move(process), std::move(layout));
}

}  // namespace linerate
