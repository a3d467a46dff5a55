// See race_text.h.
#include "commands/race_text.h"

#include "backends/host/algorithms/algorithm.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace linerate {
namespace {

constexpr double kAllowed = 1.10;

// Slower than allowed beyond what the intervals leave open.
bool is_miss(const RaceResult& result) {
  const Runner* const chosen = result.find(result.chosen);
  if (chosen == nullptr || result.chosen_over_best() <= kAllowed) return false;
  const auto& best = result.best();
  return std::isnan(chosen->us.ci95_low) || chosen->us.ci95_low > kAllowed * best.us.ci95_high;
}

std::string times_text(const RaceResult& result) {
  std::string text;
  for (const Runner& runner : result.runners)
    text += fmt::format("  {} {:.4g} [{:.4g}, {:.4g}]", runner.algorithm, runner.us.median,
                        runner.us.ci95_low, runner.us.ci95_high);
  return text;
}

// recursive_doubling -> kRecursiveDoubling
std::string row_name(std::string_view algorithm) {
  std::string name = "k";
  bool upper = true;
  for (const char c : algorithm) {
    if (c != '_')
      name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name;
}

}  // namespace

void print_race_header() {
  fmt::print("# {:<15} {:>6} {:>9}  {:<18} {:<18} {:>6}  median us [95 % interval] of each\n",
             "collective", "nranks", "size", "chosen", "fastest", "ratio");
}

void print_race(const RaceResult& result) {
  fmt::print("  {:<15} {:>6} {:>9}  {:<18} {:<18} {:>6.3f}{}{}\n", name_of(result.kind),
             result.nranks, bytes_text(result.bytes), result.chosen, result.best().algorithm,
             result.chosen_over_best(), is_miss(result) ? " MISS" : "", times_text(result));
  std::fflush(stdout);
}

bool check_summary(std::span<const RaceResult> results) {
  std::size_t misses = 0, near = 0;
  double worst = 1;
  for (const RaceResult& result : results) {
    misses += is_miss(result) ? 1 : 0;
    near += result.chosen_over_best() <= kAllowed ? 1 : 0;
    worst = std::max(worst, result.chosen_over_best());
  }
  fmt::print(
      "# {} of {} choices are within 10 % of the fastest, {} more within the intervals, {} are "
      "not; "
      "the worst takes {:.2f} times as long\n",
      near, results.size(), results.size() - near - misses, misses, worst);
  return misses == 0;
}

void print_rows(std::span<const host::Rule> rules) {
  for (const host::Rule& rule : rules) {
    const bool any = rule.max_bytes == std::numeric_limits<std::size_t>::max();
    fmt::print("      Rule{{OpKind::{}, {}, {}, &{}}},\n", name_of(rule.kind), rule.nranks,
               any ? "kAny" : fmt::format("{}", rule.max_bytes), row_name(rule.algorithm->name));
  }
}

}  // namespace linerate
