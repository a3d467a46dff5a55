#include "tune/rules.h"

#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace linerate::tuning {
namespace {

using stats::Difference;

double gain(double ratio) { return (1 / ratio - 1) * 100; }

// Why the best of an arm's sizes was not enough.
std::string too_little(const std::vector<const Judged*>& judged) {
  const auto best =
      *std::ranges::min_element(judged, {}, [](const Judged* one) { return one->effect.ratio; });
  return fmt::format("not enough, or not for sure: gain {} at {}, p {:.2g}",
                     gain_text(best->effect), bytes_text(best->cell.bytes), best->adjusted_p);
}

std::map<std::size_t, std::vector<const Judged*>> by_arm(const Searched& found) {
  std::map<std::size_t, std::vector<const Judged*>> arms;
  for (const auto& one : found.judged) arms[one.arm].push_back(&one);
  return arms;
}

bool any(const std::vector<const Judged*>& judged, Difference verdict) {
  return std::ranges::any_of(judged, [&](const Judged* one) { return one->verdict == verdict; });
}

}  // namespace

std::string gain_text(const stats::Effect& effect) {
  if (std::isnan(effect.low) || std::isnan(effect.high))
    return fmt::format("{:.1f} % [too few runs]", gain(effect.ratio));
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", gain(effect.ratio), gain(effect.high),
                     gain(effect.low));
}

std::vector<Kept> kept_calls(std::span<const Arm> arms, const Searched& found,
                             std::vector<Dropped>& dropped) {
  std::vector<Kept> kept;
  for (const auto& [arm, judged] : by_arm(found)) {
    for (const auto* one : judged)
      if (one->verdict == Difference::faster) kept.push_back({arms[arm], *one});
    if (!any(judged, Difference::faster)) dropped.push_back({arm, too_little(judged)});
  }
  return kept;
}

const Arm* kept_of_process(std::span<const Arm> arms, const Searched& found,
                           std::vector<Dropped>& dropped) {
  const Arm* kept = nullptr;
  for (const auto& [arm, judged] : by_arm(found)) {
    if (!any(judged, Difference::faster))
      dropped.push_back({arm, too_little(judged)});
    else if (any(judged, Difference::slower))
      dropped.push_back({arm, "faster at some sizes, slower at others, and it holds for all"});
    else
      kept = &arms[arm];
  }
  return kept;
}

std::vector<Rule> rules_of(const std::vector<Kept>& kept, const std::vector<Cell>& measured) {
  auto cells = measured;
  std::ranges::sort(cells);
  std::vector<Rule> rules;
  bool goes_on = false;  // the size before has the last rule's setting
  for (const auto& cell : cells) {
    const auto own = std::ranges::find(kept, cell, [](const Kept& k) { return k.judged.cell; });
    const bool same_collective = !rules.empty() && rules.back().collective == cell.collective;
    if (goes_on && same_collective && cell.bytes > 0) rules.back().max_bytes = cell.bytes - 1;
    goes_on = goes_on && same_collective && own != kept.end() &&
              own->arm.variables == rules.back().arm.variables;
    if (own == kept.end()) continue;
    if (!goes_on) rules.push_back({cell.collective, cell.bytes, cell.bytes, own->arm});
    rules.back().max_bytes = cell.bytes;
    goes_on = true;
  }
  return rules;
}

}  // namespace linerate::tuning
