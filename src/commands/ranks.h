// How many ranks a run has, and whether they can run it.
#pragma once

#include "bench/config.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace linerate {

// Ranks of each group by NCCL_TESTS_SPLIT, by colour.
std::map<int, int> group_sizes(const RunConfig& config, int nranks);

// Ranks of the smallest and of the largest group. REQUIRES: nranks > 0.
int smallest_group(const RunConfig& config, int nranks);
int largest_group(const RunConfig& config, int nranks);

// What `nranks` ranks, or the groups that they form, cannot run; nothing: all is well.
std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks);

}  // namespace linerate
