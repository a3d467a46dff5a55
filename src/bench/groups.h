// The groups that NCCL_TESTS_SPLIT makes of the ranks, from the configuration alone.
#pragma once

#include "bench/config.h"

#include <map>

namespace linerate {

// Ranks of each group, by colour; one group of all where nothing is split.
std::map<int, int> group_sizes(const RunConfig& config, int nranks);

// Ranks of the smallest and of the largest group. REQUIRES: nranks > 0.
int smallest_group(const RunConfig& config, int nranks);
int largest_group(const RunConfig& config, int nranks);

}  // namespace linerate
