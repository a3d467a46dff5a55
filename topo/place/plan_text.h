// A plan for people, for programs, and for those that start jobs: Open MPI, Slurm, CUDA.
#pragma once

#include "base/result.h"
#include "topo/place/plan.h"

#include <string>

namespace linerate::topo {

// The orders of the mesh with their costs, what to set for the best one, and each rank's devices.
std::string plan_text(const Plan& plan);

// Changes when a key changes its meaning; readers skip keys that they do not know.
inline constexpr int kPlacementSchema = 1;

// One object, indented, ended by a line feed:
//   kind "placement", schema, name, nccl_version, nranks, nnodes, ranks_per_node
//   mesh    tp, dp, pp
//   order   of the axes, outermost first
//   orders  the cheapest first: order, tp_us, dp_us, pp_us, total_us; empty without GPUs
//   bindings  of a node's ranks: host, gpu, cuda_device, numas, cores (hwloc's numbers), threads
//           (Linux'), nics: name, path; what is not known or not there is absent
//   ranks   each: rank, host (of the job), local_rank, tp, dp, pp
std::string plan_json(const Plan& plan);

// A rankfile for Open MPI (`mpirun --rankfile FILE`; since 5.0 `--map-by rankfile:file=FILE`): a
// line for each rank with its host and cores by hwloc's numbers among the usable ones. Where cores
// are not known, hardware threads by Linux' numbers, which Open MPI 4 takes with
// `--mca rmaps_rank_file_physical 1`; the first lines, comments, say so. Refused where no cores
// are known at all.
Result<std::string> rankfile_text(const Plan& plan);

// Options of mpirun that bind as the plan does, in one line, such as "-np 16
// --map-by ppr:4:numa:PE=14 --bind-to core". Refused where memory nodes or ranks have unequal
// shares, or ranks stand in another order than memory nodes: it cannot say that.
Result<std::string> mpirun_text(const Plan& plan);

// Options of srun, in one line, with a mask for each task of a node by Linux' numbers. Refused
// where no cores are known, or hosts of a rack differ.
Result<std::string> srun_text(const Plan& plan);

// What a shell sets on every node so that local rank k finds its GPU as device k, a line for each
// variable. Refused where there are no GPUs, or hosts of a rack differ.
Result<std::string> environment_text(const Plan& plan);

}  // namespace linerate::topo
