// How far GPUs and NICs are apart, as a matrix.
#pragma once

#include "topo/graph/paths.h"

#include <string>

namespace linerate::topo {

struct MatrixOptions {
  bool gbps = false;       // bandwidths instead of path types
  bool all_hosts = false;  // every host of a rack, not one of those that are alike
};

// What `nvidia-smi topo -m` shows, with NCCL's path types: a row and a column for each GPU and NIC
// port, NVLinks by their number ("NV18"), the cores and the NUMA node near each; a legend below of
// what occurs. Hosts that look alike stand once, with what is between hosts in one line.
std::string matrix_text(const Graph& graph, const Paths& paths, const MatrixOptions& options = {});

}  // namespace linerate::topo
