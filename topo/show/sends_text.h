// How fast a collective made of sends can be at most, as a table.
#pragma once

#include "topo/model/sends.h"

#include <cstddef>
#include <optional>
#include <string>

namespace linerate::topo {

struct SendRange {
  const Collective& collective;
  int nnodes = 1;
  std::size_t min_bytes = 8, max_bytes = 8;
  int step_factor = 2;
};

// A row for each size that has bytes for every rank; every line ended. `costs` are those of the
// range's collective and nodes; nothing where there is no way between ranks. REQUIRES: as
// prediction_text().
std::string sends_text(const Graph& graph, const std::optional<SendCosts>& costs,
                       const SendRange& range);

}  // namespace linerate::topo
