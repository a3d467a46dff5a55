// The rank that all others wait for, by its mean lateness in the samples of the lowest result.
#include "diagnose/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace linerate {
namespace {

// A thread stamps once for all its ranks, of which it has several with -g on GPUs.
std::string ranks_of_thread(std::ptrdiff_t thread, std::ptrdiff_t ranks_per_thread) {
  if (ranks_per_thread <= 1) return fmt::format("rank {}", thread);
  const auto first = thread * ranks_per_thread;
  return fmt::format("ranks {}-{}", first, first + ranks_per_thread - 1);
}

}  // namespace

std::vector<Finding> rules::late_rank(const Evidence& evidence) {
  constexpr double kShareOfTime = 0.1;
  // Who is made late on purpose is no cause.
  if (std::ranges::find(evidence.run.settings, "skew", &Setting::name) !=
      evidence.run.settings.end())
    return {};
  const Record* lowest = lowest_of_low(evidence);
  if (lowest == nullptr || !lowest->samples || lowest->samples->late_us.empty()) return {};
  const auto& late_us = lowest->samples->late_us;
  const auto worst = std::ranges::max_element(late_us);
  if (*worst < kShareOfTime * lowest->window.time_us * lowest->samples->batch) return {};
  return {{.subject = ranks_of_thread(worst - late_us.begin(),
                                      std::ssize(evidence.run.ranks) / std::ssize(late_us)),
           .evidence = fmt::format("comes {:.4g} us after the first", *worst),
           .advice = "see what else runs on its core"}};
}

}  // namespace linerate
