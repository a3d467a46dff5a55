// The one table of all options and variables, by group, in the order of the help text.
#pragma once

#include "cli/option.h"

#include <span>
#include <string_view>
#include <vector>

namespace linerate {

std::span<const OptionGroup> option_groups();  // of the tools that run ranks
// Of this tool, those of others included where they are refused by name.
std::span<const OptionGroup> option_groups(Audience tool);
std::span<const VariableRow> variables();

// Whether the program of `tool` (collectives, p2p or memcpy) has the option.
bool has_option(Audience tool, const OptionRow& row);

// Every row that a command line of `tool` may name: its own, and those of the others that it
// refuses by name. No name occurs twice.
std::vector<const OptionRow*> option_rows(Audience tool);

// The row of `tool` with this long or short name, or null.
const OptionRow* find_option(Audience tool, std::string_view long_name);
const OptionRow* find_option(Audience tool, char short_name);

// The groups, one file each.
std::span<const OptionRow> rank_options();
std::span<const OptionRow> size_options();
std::span<const OptionRow> pair_options();
std::span<const OptionRow> case_options();
std::span<const OptionRow> repeat_options();
std::span<const OptionRow> timing_options();
std::span<const OptionRow> output_options();
std::span<const OptionRow> verdict_options();
std::span<const OptionRow> gpu_options();
std::span<const OptionRow> help_options();
std::span<const OptionRow> memcpy_options();  // all of memcpy_perf's

}  // namespace linerate
