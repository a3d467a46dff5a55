#include "stats/bootstrap.h"

#include "base/splitmix.h"
#include "stats/summary.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace linerate::stats {

Interval paired_bootstrap(std::span<const double> differences, std::uint64_t seed) {
  constexpr std::size_t kResamples = 1000;
  constexpr double kTail = 0.025;
  assert(!differences.empty());
  std::vector<double> medians, resample(differences.size());
  for (std::size_t i = 0; i < kResamples; ++i) {
    for (double& value : resample) {
      seed += kSplitMixStep;
      value = differences[splitmix64(seed) % differences.size()];
    }
    medians.push_back(median(resample));
  }
  std::ranges::sort(medians);
  return {.low = quantile(medians, kTail), .high = quantile(medians, 1 - kTail)};
}

}  // namespace linerate::stats
