// The options that explain instead of measuring.
#include "cli/option_table.h"

#include <array>

namespace linerate {
namespace {

constexpr std::array<OptionRow, 4> kRows{{
    {.short_name = 'h', .long_name = "help", .help = "this text"},
    {.long_name = "version", .help = "the version"},
    {.long_name = "list",
     .help = "the collectives, and no run",
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.list = true;
       return {};
     }},
    {.long_name = "dry-run",
     .help = "the cases that would run, and no run",
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.dry_run = true;
       return {};
     }},
}};

}  // namespace

std::span<const OptionRow> help_options() { return kRows; }

}  // namespace linerate
