// What ranks send each other in all_to_all_v.
#pragma once

#include "collectives/collective.h"
#include "topo/model/send_steps.h"

#include <vector>

namespace linerate::topo {

// The one step of each node, in bytes, not in shares of the row: nodes of a matrix differ. Of
// weighted traffic it is the first node's alone, as all move what it moves, turned round the ranks.
// What a rank keeps for itself is left out. REQUIRES: sizing.traffic, of ranks.nranks() ranks.
std::vector<SendStep> traffic_steps(const Sizing& sizing, const RankGrid& ranks);

}  // namespace linerate::topo
