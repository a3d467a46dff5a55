// What a run says of itself before it starts: versions, machine, settings, environment.
#pragma once

#include "base/environment.h"
#include "cli/run_config.h"
#include "comm/backend.h"
#include "launch/identity.h"
#include "record/record.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

std::string version_text();  // "linerate 0.2.0 (9a56e2ea7b6b)"

// 16 hexadecimal digits, new each time: of a run, of a study.
std::string random_id();

// What every tool says of its run: its name and words, the machine and the environment.
RunInfo describe_program(const RunConfig& config, const Environment& environment);

// The run line, but for what only the connected session knows.
RunInfo describe_run(const RunConfig& config, const Environment& environment,
                     const Identity& identity, const Backend& backend);

// What must be the same in all processes of a job: what calls they make in its runs, on which data.
// Options by their names, "-n/--iters".
std::vector<Setting> shared_settings(const RunConfig& config, std::span<const RunConfig> runs);

// What of a host changes results and is not in its topology: kernel, governor, huge pages, load.
// Of the tree below `root`, a folder as / is. What it does not show is empty.
HostFacts host_facts(const std::filesystem::path& root = "/");

}  // namespace linerate
