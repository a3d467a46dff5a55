// A plan for people, and for programs.
#pragma once

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
//   bindings   of a node: host, gpu, cuda_device, numas, cores (hwloc's numbers), threads (Linux'),
//           nics: name, path; what is not known or not there is absent
//   ranks   each: rank, host (of the job), binding, tp, dp, pp
std::string plan_json(const Plan& plan);

}  // namespace linerate::topo
