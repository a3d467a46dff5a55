// Options that are right alone and wrong together, or wrong for the ranks and backend found.
#pragma once

#include "cli/option.h"
#include "cli/run_config.h"

namespace linerate {

// What contradicts itself in a configuration, whatever the machine.
Refusal contradiction(const RunConfig& config);

// What memcpy_perf cannot run: tests that do not exist, or not on that backend.
Refusal check_memcpy(const RunConfig& config);

// What does not fit the machine that was named: several files where the command, or the view, shows
// one; hosts of an NVLink domain where a cluster's file tells them.
Refusal check_machine(const MachineChoice& machine, bool several_files);

// What `nranks` ranks cannot run: a root that is none of them, or a number of ranks that the
// collective refuses. With NCCL_TESTS_SPLIT: asked for each group with its own `nranks`.
Refusal check_against_ranks(const RunConfig& config, int nranks);

// For the first GPU option that is not at its default, whose caller then exits 5: "-G needs the
// nccl backend …". On GPUs, for a number of -D that the collective has no kernel for.
Refusal gpu_option_refusal(const RunConfig& config, bool on_gpus);

}  // namespace linerate
