// --repeat: the tool again and again, each time in fresh processes.
#pragma once

#include "cli/run_config.h"
#include "commands/command.h"
#include "launch/identity.h"

#include <span>

namespace linerate {

// Where a launcher has started this process, which cannot start it again: what to do instead.
Refusal repeat_refusal(const RunConfig& config, Launcher launcher);

// Runs the tool `config.repeat` times; `runs` are what it measures, of a suite several. Each run
// appends to its files. Of each collective stdout gets one table, of medians over runs
// (repeat_summary.h), and stderr those of the runs; other tools print what they always do, run
// after run. Lines with each case's median and spread follow. A run that fails ends the repetition;
// of findings (exit 3) the rest is measured all the same. REQUIRES: no repeat_refusal().
ExitCode repeat_tool(const CommandInput& input, const RunConfig& config,
                     std::span<const RunConfig> runs);

}  // namespace linerate
