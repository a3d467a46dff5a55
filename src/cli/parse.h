// A tool's command line and variables as a checked RunConfig: before anything runs.
#pragma once

#include "base/environment.h"
#include "base/result.h"
#include "cli/run_config.h"
#include "cli/tools.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

enum class Intent : std::uint8_t { run, help, version };

struct ParsedRun {
  Intent intent = Intent::run;
  RunConfig config;  // complete when the intent is run; of a suite without a collective
  // What is measured, in order: the tool's run, or those of a suite.
  std::vector<RunConfig> runs{};
  // The options and variables that differ from the defaults, as typed: "-f 2",
  // "NCCL_TESTS_SPLIT=MOD2".
  std::vector<std::string> changed{};
  std::vector<std::string> notes{};  // sentences for stderr: variables that are nearly ours
};

// Strict: the first wrong word, value, variable or contradiction is one sentence. An option given
// twice takes its last value, as with getopt; all its values are checked.
// REQUIRES: call.command is perf, suite or memcpy. memcpy reads only LINERATE_*.
Result<ParsedRun> parse_run(const Invocation& call, const Environment& environment);

}  // namespace linerate
