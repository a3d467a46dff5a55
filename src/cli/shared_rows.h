// The rows that several commands have in common, for configurations with such members.
#pragma once

#include "base/text.h"
#include "cli/option.h"
#include "cli/values.h"
#include "record/finding.h"

#include <array>
#include <optional>

namespace linerate {

inline constexpr auto kFailOn = std::to_array<Choice<std::optional<Severity>>>({
    {"warning", Severity::warning},
    {"problem", Severity::problem},
});

template <typename Config>
inline constexpr OptionRow kJsonRow{
    .long_name = "json", .help = "print one JSON object", .apply = set_flag<Config, &Config::json>};

inline constexpr Choice<std::optional<bool>> kProgress[] = {
    {"auto", std::nullopt}, {"on", true}, {"off", false}};

template <typename Config>
inline constexpr OptionRow kProgressRow{
    .long_name = "progress",
    .metavar = "HOW",
    .default_text = "auto",
    .help = "show progress: auto (stderr is a terminal), on or off",
    .apply = set_choice<Config, kProgress, &Config::progress>};

template <typename Config>
Refusal add_skipped(const Argument& given, Config& config) {
  for (auto& id : split(given.text, ',')) config.skip.push_back(std::move(id));
  return {};
}

template <typename Config>
inline constexpr OptionRow kSkipRow{.long_name = "skip",
                                    .metavar = "IDS",
                                    .help = "all findings but these, with commas between them",
                                    .apply = add_skipped<Config>};

template <typename Config>
inline constexpr OptionRow kFailOnRow{.long_name = "fail-on",
                                      .metavar = "SEVERITY",
                                      .help = "exit 3 from such a finding on: warning or problem",
                                      .apply = set_choice<Config, kFailOn, &Config::fail_on>};

// Of what runs for a while.
template <typename Config>
inline constexpr OptionRow kWatchHealthRow{
    .long_name = "watch-health",
    .help = "watch NICs, GPUs and processors around the run, and say what moved",
    .note =
        "Error counters, clocks, temperatures: [live health](doctor.md#while-a-run-lasts). In "
        "lines # health below the results, and in --jsonl.",
    .apply = set_flag<Config, &Config::watches_health>};

}  // namespace linerate
