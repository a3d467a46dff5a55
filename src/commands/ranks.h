// How many ranks a run has, and whether they can run it.
#pragma once

#include "bench/config.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate {

// Ranks of the smallest group by NCCL_TESTS_SPLIT. REQUIRES: nranks > 0.
int smallest_group(const RunConfig& config, int nranks);

// What `nranks` ranks, or the groups that they form, cannot run; nothing: all is well.
std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks);

}  // namespace linerate
