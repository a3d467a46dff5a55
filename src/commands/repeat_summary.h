// What all runs of --repeat say of each case: nccl-tests' table of medians, and "#" lines behind
// it.
#pragma once

#include "cli/run_config.h"
#include "record/json_lines.h"

#include <string>

namespace linerate {

// Whether the tool prints such a table.
bool has_table(const RunConfig& config);

// Prints the table of a single run on stdout, so that what parses it finds each size once: the
// heading of the first run, rows with the median of each number over runs and groups, wrong
// elements and failed checks of all together.
void print_median_table(const RunConfig& config, const RunFile& file);

// A line for each case in the order in which the cases were measured: its median over runs, how the
// runs spread, and what tells it from other cases of its size. Empty where no run has a result. No
// word that parsers of nccl-tests' output look for stands in the lines.
std::string repeat_summary(const RunFile& file);

}  // namespace linerate
