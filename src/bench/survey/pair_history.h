// Which nodes are worth another try: what became of the pairs so far.
#pragma once

#include "bench/pairs.h"

#include <cstddef>
#include <vector>

namespace linerate {

// Nodes that nobody reaches cost every pair its full time. All members note the same.
class PairHistory {
 public:
  explicit PairHistory(int nranks) : of_rank_(static_cast<std::size_t>(nranks)) {}

  void note(const Pair& pair, bool worked) {
    for (const int rank : {pair.first, pair.second}) {
      auto& of = of_rank_[static_cast<std::size_t>(rank)];
      ++(worked ? of.worked : of.failed);
    }
  }

  // Of a node with two failed pairs and none that worked, no other one is tried.
  bool gives_up(const Pair& pair) const { return gives_up(pair.first) || gives_up(pair.second); }

 private:
  struct Counts {
    int worked = 0, failed = 0;
  };

  bool gives_up(int rank) const {
    constexpr int kMaxFailed = 2;
    const auto& of = of_rank_[static_cast<std::size_t>(rank)];
    return of.worked == 0 && of.failed >= kMaxFailed;
  }

  std::vector<Counts> of_rank_;
};

}  // namespace linerate
