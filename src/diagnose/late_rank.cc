// The rank that all others wait for, by its mean lateness in the samples of the lowest result.
#include "diagnose/diagnose.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {

std::vector<Finding> rules::late_rank(const Evidence& evidence) {
  constexpr double kShareOfTime = 0.1;
  const Record* lowest = lowest_of_low(evidence);
  if (lowest == nullptr || !lowest->samples || lowest->samples->late_us.empty()) return {};
  const auto& late_us = lowest->samples->late_us;
  const auto worst = std::ranges::max_element(late_us);
  if (*worst < kShareOfTime * lowest->window.time_us) return {};
  return {{.subject = fmt::format("rank {}", worst - late_us.begin()),
           .evidence = fmt::format("comes {:.4g} us after the first", *worst),
           .advice = "see what else runs on its core"}};
}

}  // namespace linerate
