// How fast NCCL should be by its own cost model, on the nodes of a run.
#pragma once

#include "base/environment.h"
#include "base/result.h"
#include "bench/expect/expecter.h"
#include "record/record.h"
#include "topo/detect/detect.h"
#include "topo/system/system.h"

#include <memory>

namespace linerate {

// `system` is rank 0's node; the others are taken for its like. Where the model does not fit, a
// reason, in words that follow a colon: nodes with different numbers of ranks, ranks that share a
// GPU, GPUs that the system does not show, links that nobody tells, groups, one rank alone.
Result<std::unique_ptr<Expecter>> make_nccl_expecter(const RunInfo& run,
                                                     const topo::System& system);

// Of a run on GPUs: its node is what is found here, in the way that NCCL_TOPO_FILE says, or the
// file that NCCL looks for without it. A reason for others, and where the file cannot be read.
Result<std::unique_ptr<Expecter>> expecter_for(const RunInfo& run, const Environment& environment,
                                               const topo::DetectInput& here = {});

}  // namespace linerate
