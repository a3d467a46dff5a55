// Why a path is what it is, in words.
#pragma once

#include "topo/graph/paths.h"

#include <string>

namespace linerate::topo {

// The path hop by hop with the bandwidth of each, what makes its type, and its narrowest link:
// lines for a terminal, each ended.
std::string explain(const Graph& graph, const Paths& paths, int from, int to);

}  // namespace linerate::topo
