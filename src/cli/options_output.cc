// The options that say what is printed and written, and how results are judged.
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>

namespace linerate {
namespace {

Refusal set_json_file(const Argument& given, RunConfig& config) {
  if (auto refusal = set_file(given, config.json_file)) return refusal;
  if (!lower(given.text).ends_with(".json"))
    return fmt::format(
        "{} '{}' does not end in .json, the only format it writes: --jsonl and "
        "--csv write others.",
        given.label, given.text);
  return {};
}

constexpr std::array<Choice<bool>, 2> kExpect{{{"auto", true}, {"off", false}}};

constexpr auto kOutputRows = std::to_array<OptionRow>({
    {.short_name = 'J',
     .long_name = "output_file",
     .metavar = "FILE",
     .help = "nccl-tests' report; FILE ends in .json; if it exists, FILE.0",
     .note = "An existing file is never overwritten: FILE.0, FILE.1 and so on are tried.",
     .audience = Audience::collectives,
     .apply = set_json_file},
    {.long_name = "jsonl",
     .metavar = "FILE",
     .help = "one JSON object per line, as it is measured; appends to FILE",
     .note = "A file may hold several runs. linerate report reads it.",
     .apply = set_file_of<RunConfig, &RunConfig::jsonl_file>},
    {.long_name = "csv",
     .metavar = "FILE",
     .help = "the results for a spreadsheet; appends to FILE",
     .note = "The header line is written once. A file with anything else in it is refused.",
     .apply = set_file_of<RunConfig, &RunConfig::csv_file>},
    {.long_name = "samples",
     .help = "write every sample, not only the summary, to --jsonl",
     .note = "Needs --jsonl.",
     .audience = Audience::collectives,
     .apply = set_flag<RunConfig, &RunConfig::keep_samples>},
    {.long_name = "show-algo",
     .help = "which algorithm ran, in # lines above the rows",
     .note = "With protocol and channels if the backend reports them; a new line when it changes. "
             "For NCCL see [which algorithm ran](output-format.md#which-algorithm-ran).",
     .audience = Audience::collectives,
     .apply = set_flag<RunConfig, &RunConfig::show_algorithms>},
    {.short_name = 'S',
     .long_name = "report_timestamps",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: date and time at the end of each row",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSwitch, &RunConfig::report_timestamps>},
    {.short_name = 'M',
     .long_name = "memory",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: memory use in the footer",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSwitch, &RunConfig::report_memory>},
    {.long_name = "report-init",
     .help = "how long the communicators took: init, first call, destroy",
     .note = "A line below the table. JSON Lines always have it.",
     .apply = set_flag<RunConfig, &RunConfig::report_init>},
    kWatchHealthRow<RunConfig>,
    kProgressRow<RunConfig>,
});

constexpr auto kVerdictRows = std::to_array<OptionRow>({
    {.long_name = "expect",
     .metavar = "HOW",
     .default_text = "auto",
     .help = "say how fast results should be: auto (where it is known) or off",
     .note =
         "Without GPUs, memory (and TCP between hosts) is probed for about 0.2 s before and after "
         "the run. If results are low, pairs of ranks are timed to find what is slow: see "
         "[how fast it should be](verdicts.md).",
     .apply = set_choice<RunConfig, kExpect, &RunConfig::expects>},
    {.long_name = "verdict",
     .help = "a # line for each result below the table: ok, unsure, low or above",
     .note = "Without it one line sums up all results.",
     .apply = set_flag<RunConfig, &RunConfig::lists_verdicts>},
    {.long_name = "fail-below",
     .metavar = "EFFICIENCY",
     .help = "exit 3 if the efficiency of any result is below this: 0 to 1",
     .note = "Efficiency is measured / expected busbw. Each result is compared by itself, never "
             "their average. Exit 5 if no result has a bound.",
     .apply = set_number<RunConfig, 0, 1, &RunConfig::fail_below>},
    {.long_name = "fail-unsure",
     .help = "exit 3 also if what disturbed the run may explain why --fail-below is missed",
     .note = "Without it such a result is a warning.",
     .apply = set_flag<RunConfig, &RunConfig::fail_unsure>},
});

constexpr auto kHelpRows = std::to_array<OptionRow>({
    {.short_name = 'h', .long_name = "help", .help = "print this text"},
    {.long_name = "version", .help = "print the version"},
    {.long_name = "list",
     .help = "print the cases that would run, one per line, and run nothing",
     .audience = Audience::collectives,
     .apply = set_flag<RunConfig, &RunConfig::list>},
    {.long_name = "dry-run",
     .help = "print what would run and what would be written, and run nothing",
     .apply = set_flag<RunConfig, &RunConfig::dry_run>},
});

}  // namespace

std::span<const OptionRow> output_options() { return kOutputRows; }
std::span<const OptionRow> verdict_options() { return kVerdictRows; }
std::span<const OptionRow> help_options() { return kHelpRows; }

}  // namespace linerate
