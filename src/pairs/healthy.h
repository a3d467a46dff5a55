// Who is fine by the rounds: the partners of tests, and the controls beside them.
#pragma once

#include "pairs/estimate.h"

#include <cstddef>
#include <set>
#include <vector>

namespace linerate::pairs {

class Healthy {
 public:
  // `layout` outlives this.
  Healthy(const Layout& layout, const Estimate& estimate);

  // Neither node has a suspect, and the pair was not low.
  bool is_control(Pair pair) const;

  // Up to `count` of the rank's rail on other nodes: those that were low with nobody first. Those
  // that are `known`, and those that are suspect or were low with this rank, only where there are
  // not two others.
  std::vector<int> partners(int rank, std::size_t count, const std::vector<int>& known,
                            SplitMix& random) const;

 private:
  bool has_suspect(int rank) const;  // on its node

  const Layout& layout_;
  std::set<int> suspect_nodes_, low_ranks_;
  std::set<Pair> low_pairs_;
};

}  // namespace linerate::pairs
