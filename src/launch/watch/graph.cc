// See graph.h.
#include "launch/watch/graph.h"

#include "comm/bootstrap.h"

#include <algorithm>

namespace linerate {

std::vector<int> control_neighbours(int process, int nprocesses) {
  std::vector<int> neighbours{2 * process + 1, 2 * process + 2, (process + 1) % nprocesses,
                              (process + nprocesses - 1) % nprocesses};
  if (process > 0) neighbours.push_back(tree_parent(process));
  std::erase_if(neighbours, [&](int other) { return other >= nprocesses || other == process; });
  std::ranges::sort(neighbours);
  const auto repeated = std::ranges::unique(neighbours);
  neighbours.erase(repeated.begin(), repeated.end());
  return neighbours;
}

}  // namespace linerate
