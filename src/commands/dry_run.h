// --dry-run: what would run and what would be written, in words.
#pragma once

#include "cli/parse.h"
#include "launch/identity.h"

#include <string>

namespace linerate {

// One fact a line, for stdout; `gpus`: this host has one. REQUIRES: nranks > 0, and ranks that can
// run it.
std::string dry_run_text(const ParsedRun& parsed, const Identity& identity, int nranks, bool gpus);

}  // namespace linerate
