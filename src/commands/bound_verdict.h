// What a run is worth beside its bound, and why nobody can tell where that is so.
#pragma once

#include "base/exit_code.h"
#include "bench/events.h"
#include "cli/run_config.h"
#include "record/record.h"

#include <string>
#include <string_view>

namespace linerate {

// Why nobody knows how fast ranks on host memory should be, in words that follow a colon.
// REQUIRES: neither their memory nor their backend tells.
std::string why_unjudged(const RunInfo& run);

// Says what --fail-below finds; where no result was judged although that or --verdict was given,
// also why. `why` is empty where nobody has looked for a bound.
ExitCode judged_by_bound(const RunConfig& config, const RunTotals& totals, std::string_view why);

}  // namespace linerate
