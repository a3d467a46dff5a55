// What rounds of pairs say of each rank and pair: a multiplicative model of bandwidth,
//   log bandwidth(i, j) = base - max(deficit(i), deficit(j)) - residual(i, j),
// because a path is as fast as its slower end. Robust: medians, and the median of absolute
// deviations as the spread, so that many faulty ranks move nothing.
#pragma once

#include "pairs/schedule.h"

#include <optional>
#include <set>
#include <span>
#include <vector>

namespace linerate::pairs {

using Rate = PairRate;

// 1.4826 times the median of absolute deviations from the median: the standard deviation where
// values are normal. 0 of nothing.
double spread_of(std::vector<double> values);

// Below this share of what others reach is bad; a share between 0 and 1.
struct Limit {
  double share = 0.95;
  double log() const;
};

// Logarithms are natural; deficits, offsets and residuals are not positive.
struct Estimate {
  double base_gbps = 0;               // what the median rank of the best rail reaches at its best
  double noise = 0;                   // spread of residuals
  std::vector<double> deficit{};      // of each rank with its best partner, against the median
  std::vector<double> rail_gbps{};    // the median of each rail's ranks; 0: not measured
  std::vector<double> rail_offset{};  // of the rails that are slow as a whole, else 0
  std::vector<int> ranks{};           // suspects, worst first
  std::size_t left_out = 0;           // suspects beyond what is worth a test
  std::size_t not_measured = 0;       // ranks that had a partner in no round
  struct LowPair {
    Pair ranks{};
    double residual = 0;  // the lowest, beside what its ranks' deficits explain
  };
  std::vector<LowPair> low{};  // worst first

  bool is_slow_rail(int rail) const { return rail_offset[static_cast<std::size_t>(rail)] < 0; }
  // The rate as it would be on a rail that is well.
  double value(const Layout& layout, const Rate& rate) const {
    return rate.log() - rail_offset[static_cast<std::size_t>(layout.place(rate.ranks.first).rail)];
  }
};

// At most so many suspects are tested: an eighth of the ranks, and never fewer than 16.
std::size_t most_suspects(const Layout& layout);

// Suspects are found with few misses: that healthy ones are among them costs a test. A rank is
// suspect where its best or its median pair is low against other ranks', or where it is in low
// pairs with several partners. Of `rails`, where they are given, one may be slow as a whole.
Estimate estimate(const Layout& layout, std::span<const Rate> rates, const Limit& limit,
                  const std::optional<std::set<int>>& rails = std::nullopt);

}  // namespace linerate::pairs
