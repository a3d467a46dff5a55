// Numbers of nodes as people type them: one, a list, or a range that doubles.
#pragma once

#include "cli/option.h"
#include "cli/values.h"

#include <vector>

namespace linerate {

// "4"; "1,2,8"; "1:4096", which is 1, 2, 4, ... and ends with 4096; or lists of both. Ascending,
// each once.
Refusal set_node_counts(const Argument& given, WholeRange range, std::vector<int>& out);

}  // namespace linerate
