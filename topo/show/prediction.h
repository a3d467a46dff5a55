// Predictions as tables and as JSON: what will be measured, with its band, and beside it what NCCL
// believes, or for point-to-point collectives their bound.
#pragma once

#include "topo/cluster/cluster_predictor.h"
#include "topo/model/p2p_model.h"

#include <cstddef>
#include <optional>
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

// What all rows rest on.
struct PredictionFacts {
  NcclVersion version{};
  TunerSettings asked{};              // of the environment
  std::vector<std::string> unseen{};  // sentences: what nobody has told
};

// One object, indented: kind "prediction", schema, collective, nccl_version, environment, rows and
// unseen. docs/output-format.md lists the keys of a row. Where NCCL finds no path there are no
// times and bandwidths.
std::string prediction_json(std::span<const PredictedRow> rows, Function function,
                            const PredictionFacts& facts);

struct P2pRange {
  const Collective& collective;
  std::size_t min_bytes = 8, max_bytes = 8;
  int step_factor = 2;
};

// One size on one number of nodes.
struct P2pRow {
  int nnodes = 1, nranks = 1;
  std::size_t bytes = 0;
  P2pBound bound{};
  std::optional<Forecast> forecast{};
  std::optional<SendPlan> sends{};  // of a collective of one step
};

// A row for each size that has bytes for every rank. `costs` are those of the range's collective
// and of the job's nodes; nothing where there is no way between ranks. REQUIRES: as
// predicted_rows().
std::vector<P2pRow> p2p_rows(const JobShape& job, const std::optional<P2pCosts>& costs,
                             const P2pRange& range);

// What collective the rows are of.
struct P2pRowsOf {
  const Collective& collective;
  const PredictionFacts& facts;
  std::vector<int> nnodes{};  // as asked for; with several, nodes and ranks are columns
  int gpus = 1;               // of a node
};

// What it is, and a line for each row; every line ended.
std::string p2p_table(std::span<const P2pRow> rows, const P2pRowsOf& of);
// As prediction_json(), without algorithm, protocol and channels.
std::string p2p_json(std::span<const P2pRow> rows, const P2pRowsOf& of);

}  // namespace linerate::topo
