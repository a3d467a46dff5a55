// Which algorithm ran, in the words of --show-algo.
#pragma once

#include "record/record.h"

#include <span>
#include <string>

namespace linerate {

// "RING, SIMPLE, 16 channels", as far as known; "unknown" where nothing is, with the reason where
// it was told and lost.
std::string call_text(const CallFacts& call);

// The `#` line above a row: what its placements have in common, or each of them.
// REQUIRES: not empty.
std::string call_line(std::span<const Record> row);

}  // namespace linerate
