// The one table of all options and variables, by group, in the order of the help text.
#pragma once

#include "cli/option.h"

#include <span>
#include <string_view>

namespace linerate {

std::span<const OptionGroup> option_groups();
std::span<const VariableRow> variables();

// The row with this long name, or null.
const OptionRow* find_option(std::string_view long_name);

// Whether the program of `tool_audience` (collectives or p2p) has the option.
bool has_option(Audience tool_audience, const OptionRow& row);

// The groups, one file each.
std::span<const OptionRow> rank_options();
std::span<const OptionRow> size_options();
std::span<const OptionRow> case_options();
std::span<const OptionRow> repeat_options();
std::span<const OptionRow> timing_options();
std::span<const OptionRow> output_options();
std::span<const OptionRow> gpu_options();
std::span<const OptionRow> help_options();

}  // namespace linerate
