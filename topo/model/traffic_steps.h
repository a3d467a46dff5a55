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

// Whether a rank keeps more than any rank sends to the others or gets from them: its copy, which
// crosses no link, may take longer than all links do. REQUIRES: sizing.traffic.
bool keeps_most(const Sizing& sizing);

}  // namespace linerate::topo
