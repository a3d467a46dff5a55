// What the tests of pairs share.
#pragma once

#include "pairs/estimate.h"

#include <vector>

namespace linerate::pairs {

inline constexpr Limit kLimit{.share = 0.95};

// Each node with a rank on each rail.
inline Layout nodes_of(int nnodes, int nrails = 1) {
  std::vector<int> nodes;
  for (int node = 0; node < nnodes; ++node)
    nodes.insert(nodes.end(), static_cast<std::size_t>(nrails), node);
  return layout_of(nodes);
}

}  // namespace linerate::pairs
