// How fast NCCL should be by its own cost model, on the nodes of a run.
#pragma once

#include "base/environment.h"
#include "bench/expect/expecter.h"
#include "record/record.h"
#include "topo/system/system.h"

#include <memory>

namespace linerate {

// `system` is rank 0's node; the others are taken for its like. Null where the model does not fit:
// nodes with different numbers of ranks, ranks that share a GPU, GPUs that the system does not
// show, groups, one rank alone.
std::unique_ptr<Expecter> make_nccl_expecter(const RunInfo& run, const topo::System& system);

// Of a run on GPUs: its node is what NCCL_TOPO_FILE says, or what is found here. Null for others,
// and where the file cannot be read.
std::unique_ptr<Expecter> expecter_for(const RunInfo& run, const Environment& environment);

}  // namespace linerate
