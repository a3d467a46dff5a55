// The options of linerate suite beyond those of the collectives' tools.
#include "cli/option.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

Refusal set_suite_collectives(const Argument& given, RunConfig& config) {
  return set_collectives(given, config.suite.collectives);
}

constexpr auto kSuiteRows = std::to_array<OptionRow>({
    {.long_name = "collectives",
     .metavar = "NAMES",
     .default_text = "all",
     .help = "which collectives, separated by commas, in this order; or all",
     .note = "Each by its own name or its program's: `all_to_all`, `alltoall`, `alltoall_perf`. Of "
             "all, those that the number of ranks cannot run are left out, with a note.",
     .audience = Audience::suite,
     .apply = set_suite_collectives},
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
