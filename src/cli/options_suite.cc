// The options of linerate suite beyond those of the collectives' tools.
#include "base/text.h"
#include "cli/option.h"
#include "cli/tools.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

std::vector<std::string_view> names_of_collectives() {
  std::vector<std::string_view> names;
  for (const auto* row : all_collectives()) names.push_back(row->name);
  names.emplace_back("all");
  return names;
}

// In the order typed, which is the order of the runs.
Refusal set_collectives(const Argument& given, RunConfig& config) {
  auto& chosen = config.suite.collectives;
  chosen.clear();
  if (given.text == "all") return {};
  for (const auto& word : split(given.text, ',')) {
    if (word == "all")
      return fmt::format("{}: all stands for every collective: leave the others out, or it.",
                         given.label);
    const auto* row = find_collective(word);
    if (row == nullptr) return unknown_choice("collective", word, names_of_collectives());
    if (std::ranges::find(chosen, row) != chosen.end())
      return fmt::format("{} names {} twice: name it once.", given.label, row->name);
    chosen.push_back(row);
  }
  return {};
}

constexpr auto kSuiteRows = std::to_array<OptionRow>({
    {.long_name = "collectives",
     .metavar = "NAMES",
     .default_text = "all",
     .help = "which collectives, separated by commas, in this order; or all",
     .note = "Each by its own name or its program's: `all_to_all`, `alltoall`, `alltoall_perf`. Of "
             "all, those that the number of ranks cannot run are left out, with a note.",
     .audience = Audience::suite,
     .apply = set_collectives},
    {.long_name = "pairs",
     .help = "run p2p_perf too, after the collectives",
     .note = "It takes those of the options that it has; its sizes are 8 bytes and 32 MiB unless "
             "-b and -e are given.",
     .audience = Audience::suite,
     .apply = set_flag<RunConfig, &RunConfig::suite, &SuiteOptions::pairs>},
});

}  // namespace

std::span<const OptionRow> suite_options() { return kSuiteRows; }

}  // namespace linerate
