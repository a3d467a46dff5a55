// How fast NCCL should be by its own cost model, on the nodes of a run; and which model a run has.
#pragma once

#include "base/environment.h"
#include "base/result.h"
#include "model/host_model.h"
#include "topo/detect/detect.h"
#include "topo/system/system.h"

#include <memory>

namespace linerate {

// `system` is rank 0's node; the others are taken for its like. NCCL's variables are those of the
// run's record (topo::read_tuner_settings). Where the model does not fit, a reason, in words that
// follow a colon: nodes with different numbers of ranks, ranks that share a GPU, GPUs that the
// system does not show, unknown links, groups, one rank alone, a variable that NCCL refuses.
Result<std::unique_ptr<PerformanceModel>> make_nccl_model(const RunInfo& run,
                                                          const topo::System& system);

// The model of a run: that of the host where it was probed (`limits`, else null); that of NCCL on
// GPUs, whose node is what is found here, in the way that NCCL_TOPO_FILE says, or the file that
// NCCL looks for without it. Else a reason, as above.
Result<std::unique_ptr<PerformanceModel>> model_for(const RunInfo& run, const HostLimits* limits,
                                                    const Environment& environment,
                                                    const topo::DetectInput& here = {});

}  // namespace linerate
