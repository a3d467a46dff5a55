// The sides of a comparison that are measured now: commands that take turns.
#pragma once

#include "cli/compare_config.h"
#include "commands/command.h"
#include "commands/compare_sources.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace linerate {

struct MeasuredSides {
  std::vector<LoadedSide> sides{};  // of config.commands, in their order
  bool interrupted = false;         // then with fewer runs
};

// Where --keep keeps what the command of that number measures: by its side, A or B.
std::filesystem::path kept_file(const CompareConfig& config, std::size_t command);

// Runs the commands of --run. Throws Error where one cannot run or fails; what was measured by then
// is in the folder of --keep.
MeasuredSides measure_sides(const CommandInput& input, const CompareConfig& config);

}  // namespace linerate
