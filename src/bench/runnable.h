// The cases of a plan that the communicators have calls for.
#pragma once

#include "bench/plan.h"
#include "comm/inspector.h"

#include <string>
#include <vector>

namespace linerate {

struct RunnableCases {
  std::vector<Case> cases{};
  std::string note{};  // names the others; empty: there are none
};

// Throws Unavailable, in the communicator's words, where `comm` has a call for none of `cases`. The
// same on all ranks.
RunnableCases runnable_cases(const std::vector<Case>& cases, const Inspector& comm);

}  // namespace linerate
