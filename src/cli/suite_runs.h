// The runs that `linerate suite` consists of.
#pragma once

#include "base/result.h"
#include "cli/run_config.h"
#include "cli/tokens.h"

#include <span>
#include <vector>

namespace linerate {

// One for each collective, as its tool would run it under the same options, and one for the pairs
// of ranks, which takes those of `tokens` that p2p_perf has; in the order in which they run.
// -J FILE.json of a collective is FILE.COLLECTIVE.json.
Result<std::vector<RunConfig>> suite_runs(const RunConfig& suite, std::span<const Token> tokens);

}  // namespace linerate
