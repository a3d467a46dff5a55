// What NCCL will do on nodes, as a table and as JSON.
#pragma once

#include "topo/cluster/cluster_predictor.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace linerate::topo {

struct PredictionRange {
  Function function = Function::all_reduce;
  Reduced reduced{};
  std::size_t min_bytes = 8, max_bytes = 8;
  int step_factor = 2;
};

// One size on one number of nodes.
struct PredictedRow {
  int nnodes = 1, nranks = 1;
  ClusterPrediction predicted{};
};

// A row for each size. REQUIRES: 0 < min_bytes <= max_bytes, step_factor > 1.
std::vector<PredictedRow> predicted_rows(ClusterPredictor& predictor, const PredictionRange& range);

// The channels found; every line ended, an empty one last.
std::string channels_text(const JobShape& job);

// Which columns a table has besides.
struct PredictionColumns {
  bool nodes = false;     // nodes and ranks
  bool bound_by = false;  // what the time comes from
};
std::string prediction_table(std::span<const PredictedRow> rows, Function function,
                             const PredictionColumns& columns);

// Where NCCL's choice changes.
std::string crossovers_text(const Predictor& predictor, const PredictionRange& range);

// One object, indented: kind "prediction", schema, collective, nccl_version, rows of nnodes,
// nranks, bytes, algorithm, protocol, channels, time_us, algbw_gbps, busbw_gbps, bound_by; and
// unseen, the sentences that say what the rows rest on that nobody has told.
std::string prediction_json(std::span<const PredictedRow> rows, Function function,
                            const NcclVersion& version, const std::vector<std::string>& unseen);

}  // namespace linerate::topo
