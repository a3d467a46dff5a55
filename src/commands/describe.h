// What a run says of itself before it starts: versions, machine, settings, environment.
#pragma once

#include "base/environment.h"
#include "cli/run_config.h"
#include "comm/backend.h"
#include "launch/identity.h"
#include "record/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// linerate's own version.
std::string_view version();  // "0.1.0", from the build
std::string version_text();  // "linerate 0.1.0"

// What every tool says of its run: its name and words, the machine and the environment.
RunInfo describe_program(const RunConfig& config, const Environment& environment);

// The run line, but for what only the connected session knows.
RunInfo describe_run(const RunConfig& config, const Environment& environment,
                     const Identity& identity, const Backend& backend);

// What must be the same in all processes of a run: what calls they make, on which data. Options by
// their names, "-n/--iters".
std::vector<Setting> shared_settings(const RunConfig& config);

}  // namespace linerate
