#include "pairs/healthy.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace linerate::pairs {

namespace {

constexpr std::size_t kLeastPartners = 2;  // one could not tell a rank from its link

}  // namespace

Healthy::Healthy(const Layout& layout, const Estimate& estimate) : layout_(layout) {
  for (const int rank : estimate.ranks) suspect_nodes_.insert(layout.place(rank).node);
  for (const auto& [pair, residual] : estimate.low) {
    low_pairs_.insert(pair);
    low_ranks_.insert({pair.first, pair.second});
  }
}

bool Healthy::has_suspect(int rank) const {
  return suspect_nodes_.contains(layout_.place(rank).node);
}

bool Healthy::is_control(Pair pair) const {
  return !has_suspect(pair.first) && !has_suspect(pair.second) && !low_pairs_.contains(pair);
}

std::vector<int> Healthy::partners(int rank, std::size_t count, const std::vector<int>& known,
                                   SplitMix& random) const {
  const auto [own, rail] = layout_.place(rank);
  std::array<std::vector<int>, 4> found;  // from best to worst
  for (int node = 0; node < layout_.nnodes(); ++node) {
    const auto& ranks = layout_.of_node(node);
    if (node == own || static_cast<std::size_t>(rail) >= ranks.size()) continue;
    const int partner = ranks[static_cast<std::size_t>(rail)];
    const bool bad = has_suspect(partner) || low_pairs_.contains(std::minmax(rank, partner));
    const bool again = std::ranges::count(known, partner) > 0;
    found[bad ? 3 : again ? 2 : low_ranks_.contains(partner) ? 1 : 0].push_back(partner);
  }
  std::vector<int> best;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i >= 2 && best.size() >= kLeastPartners) break;
    random.shuffle(found[i]);
    best.insert(best.end(), found[i].begin(), found[i].end());
  }
  best.resize(std::min(best.size(), count));
  return best;
}

}  // namespace linerate::pairs
