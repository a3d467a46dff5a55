// What NCCL will do on a system, as a table.
#pragma once

#include "topo/model/predict.h"

#include <cstddef>
#include <string>

namespace linerate::topo {

struct PredictionRange {
  Function function = Function::all_reduce;
  Reduced reduced{};
  std::size_t min_bytes = 8, max_bytes = 8;
  int step_factor = 2;
};

// Channels found, a row for each size, and where the choice changes; every line ended.
// REQUIRES: 0 < min_bytes <= max_bytes, step_factor > 1, and a job of two ranks at least.
std::string prediction_text(const JobShape& job, const PredictionRange& range);

}  // namespace linerate::topo
