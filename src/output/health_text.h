// The `# health:` lines: what moved on the nodes of a run, and what could not be looked at.
#pragma once

#include "record/record.h"

#include <string>

namespace linerate {

// Empty where nothing was watched.
std::string health_lines(const EndInfo& end);

}  // namespace linerate
