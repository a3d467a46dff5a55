// The options that explain instead of measuring.
#include "cli/option_table.h"

#include <array>

namespace linerate {
namespace {

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 'h', .long_name = "help", .help = "print this text"},
    {.long_name = "version", .help = "print the version"},
    {.long_name = "list",
     .help = "print the cases that would run, one a line, and run nothing",
     .audience = Audience::collectives,
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.list = true;
       return {};
     }},
    {.long_name = "dry-run",
     .help = "print what would run and what would be written, and run nothing",
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.dry_run = true;
       return {};
     }},
});

}  // namespace

std::span<const OptionRow> help_options() { return kRows; }

}  // namespace linerate
