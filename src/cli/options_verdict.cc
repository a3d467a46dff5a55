// The options that say how results are judged.
#include "cli/option_table.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr std::array<Choice<bool>, 2> kExpect{{{"auto", true}, {"off", false}}};

Refusal set_fail_below(const Argument& given, RunConfig& config) {
  constexpr NumberRange kShares{.least = 0, .most = 1};
  double share = 0;
  if (auto refusal = set_number(given, kShares, share)) return refusal;
  config.fail_below = share;
  return {};
}

constexpr auto kRows = std::to_array<OptionRow>({
    {.long_name = "expect",
     .metavar = "HOW",
     .default_text = "auto",
     .help = "say how fast results should be: auto (where it is known) or off",
     .note = "Without GPUs the memory, and between hosts TCP, are asked for about 0.2 s before and "
             "after the run; where results are low, pairs of ranks are asked what is slow: see "
             "[how fast it should be](performance.md#how-fast-it-should-be).",
     .apply = [](const Argument& a,
                 RunConfig& c) { return set_choice<bool>(a, kExpect, c.expects); }},
    {.long_name = "verdict",
     .help = "a # line for each result below the table: ok, low or above the bound",
     .note = "Without it one line sums up.",
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.lists_verdicts = true;
       return {};
     }},
    {.long_name = "fail-below",
     .metavar = "SHARE",
     .help = "exit 3 where a result reaches less than this part of its bound: 0 to 1",
     .note = "Every size counts by itself, never the average. Exit 5 where nothing tells the "
             "bound.",
     .apply = set_fail_below},
});

}  // namespace

std::span<const OptionRow> verdict_options() { return kRows; }

}  // namespace linerate
