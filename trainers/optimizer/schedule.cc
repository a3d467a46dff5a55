#include "trainers/optimizer/schedule.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace linerate::trainers {

Result<Decay> parse_decay(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNames{"constant", "linear", "cosine"};
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return Failure{unknown_choice("decay", text, kNames)};
  return static_cast<Decay>(found - kNames.begin());
}

double Schedule::lr(std::int64_t step) const {
  assert(step >= 1);
  if (step <= warmup_steps)
    return peak * static_cast<double>(step) / static_cast<double>(warmup_steps);
  const auto falling = std::max<std::int64_t>(steps - warmup_steps, 1);
  const auto gone = std::min(step - warmup_steps, falling);
  const double progress = static_cast<double>(gone) / static_cast<double>(falling);
  switch (decay) {
    case Decay::constant:
      return peak;
    case Decay::linear:
      return floor + (peak - floor) * (1 - progress);
    case Decay::cosine:
      return floor + (peak - floor) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
  }
  __builtin_unreachable();
}

}  // namespace linerate::trainers
