#include "pairs/schedule.h"

#include <algorithm>
#include <numeric>

namespace linerate::pairs {
namespace {

std::vector<int> shuffled(int count, SplitMix& random) {
  std::vector<int> items(static_cast<std::size_t>(std::max(0, count)));
  std::iota(items.begin(), items.end(), 0);
  random.shuffle(items);
  return items;
}

// Node i of the circle is nodes[i].
Round pairs_of(const Layout& layout, const Round& circle, std::span<const int> nodes) {
  Round round;
  for (const auto& [i, j] : circle) {
    const auto& a = layout.of_node(nodes[static_cast<std::size_t>(i)]);
    const auto& b = layout.of_node(nodes[static_cast<std::size_t>(j)]);
    for (std::size_t rail = 0; rail < std::min(a.size(), b.size()); ++rail)
      round.emplace_back(std::minmax(a[rail], b[rail]));
  }
  return round;
}

}  // namespace

int Layout::nrails() const {
  std::size_t most = 0;
  for (const auto& node : ranks) most = std::max(most, node.size());
  return static_cast<int>(most);
}

Layout layout_of(std::span<const int> nodes) {
  Layout layout;
  const auto differs = [&](int node) { return node != nodes.front(); };
  layout.one_host = std::ranges::none_of(nodes, differs);
  int rank = 0;
  for (const int told : nodes) {
    const auto node = static_cast<std::size_t>(layout.one_host ? rank : told);
    layout.ranks.resize(std::max(layout.ranks.size(), node + 1));
    auto& of_node = layout.ranks[node];
    layout.places.push_back({static_cast<int>(node), static_cast<int>(of_node.size())});
    of_node.push_back(rank++);
  }
  return layout;
}

std::vector<Round> matchings(const Layout& layout, std::size_t count, SplitMix& random) {
  const auto nodes = shuffled(layout.nnodes(), random);
  const auto turns = shuffled(round_count(layout.nnodes()), random);
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < count && !turns.empty(); ++i) {
    const auto circle = circle_round(layout.nnodes(), turns[i % turns.size()]);
    rounds.push_back(pairs_of(layout, circle, nodes));
    random.shuffle(rounds.back());
  }
  return rounds;
}

std::vector<Round> in_parts(const Round& round, std::size_t parts) {
  const auto count = std::clamp<std::size_t>(parts, 1, std::max<std::size_t>(1, round.size()));
  std::vector<Round> rounds(count);
  for (std::size_t i = 0; i < round.size(); ++i) rounds[i % count].push_back(round[i]);
  return rounds;
}

}  // namespace linerate::pairs
