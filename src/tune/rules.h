// What is kept of a search: settings of the process, and rules for calls.
#pragma once

#include "tune/search.h"

#include <cstddef>
#include <string>
#include <vector>

namespace linerate::tuning {

// One size at which a setting is kept.
struct Kept {
  Arm arm{};
  Judged judged{};
};

// Calls of these sizes, ends included, get the setting.
struct Rule {
  const Collective* collective = nullptr;
  std::size_t min_bytes = 0, max_bytes = 0;
  Arm arm{};
};

// The sizes at which a setting of calls is FASTER. `dropped` gets the settings that are so at none,
// with the gain that they came nearest with.
std::vector<Kept> kept_calls(std::span<const Arm> arms, const Searched& found,
                             std::vector<Dropped>& dropped);

// The setting of the process that is FASTER at one size or more and SLOWER at none; null: there is
// none, and `dropped` says why.
const Arm* kept_of_process(std::span<const Arm> arms, const Searched& found,
                           std::vector<Dropped>& dropped);

// Neighbours among the sizes that were measured, with one setting, make one rule, which ends below
// the next size without it, and at the largest size measured.
std::vector<Rule> rules_of(const std::vector<Kept>& kept, const std::vector<Cell>& measured);

// "25.0 % [20.1, 29.8]", by the time of the default over that of the setting.
std::string gain_text(const stats::Effect& effect);

}  // namespace linerate::tuning
