#include "stats/stopping.h"

namespace linerate::stats {
namespace {

// 2 * 2^-5 > 5 %: five samples cannot enclose the median with 95 %.
constexpr std::size_t kFewestForInterval = 6;

}  // namespace

std::optional<double> relative_half_width(const Summary& summary) {
  if (summary.n < kFewestForInterval || !(summary.median > 0)) return std::nullopt;
  return (summary.ci95_high - summary.ci95_low) / 2 / summary.median;
}

bool stop_now(const StopRule& rule, const Summary& summary, double elapsed_s) {
  if (!rule.asked() || (rule.max_s && elapsed_s >= *rule.max_s)) return true;
  const auto width = relative_half_width(summary);
  return rule.ci && width && *width <= *rule.ci;
}

}  // namespace linerate::stats
