// Whether a channel can be there at all: what a look at each way alone tells without a search.
#pragma once

#include "topo/search/draft.h"
#include "topo/search/ground.h"

namespace linerate::topo {

// Whether the ways that the draft's path types allow, and whose links carry its speed while nothing
// else does, lead from every GPU to every other and, between nodes, from a port to a GPU. Where
// they do not, no channel passes all GPUs. REQUIRES: no draft of heads.
bool joins_all(const Ground& ground, const Draft& draft);

}  // namespace linerate::topo
