// How fast a collective made of sends can be at most, as a table and as JSON.
#pragma once

#include "topo/model/sends.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linerate::topo {

struct SendRange {
  const Collective& collective;
  int nnodes = 1;
  std::size_t min_bytes = 8, max_bytes = 8;
  int step_factor = 2;
};

// One size on one number of nodes.
struct SendRow {
  int nnodes = 1, nranks = 1;
  std::size_t bytes = 0;
  SendBound bound{};
};

// A row for each size that has bytes for every rank. `costs` are those of the range's collective
// and nodes; nothing where there is no way between ranks. REQUIRES: as predicted_rows().
std::vector<SendRow> send_rows(const Graph& graph, const std::optional<SendCosts>& costs,
                               const SendRange& range);

// What collective the rows are of.
struct SendRowsOf {
  const Collective& collective;
  NcclVersion version{};
  std::vector<int> nnodes{};          // as asked for; with several, nodes and ranks are columns
  int gpus = 1;                       // of a node
  std::vector<std::string> unseen{};  // sentences: what the rows rest on that nobody has told
};

// What it is, and a line for each row; every line ended.
std::string sends_table(std::span<const SendRow> rows, const SendRowsOf& of);
// As prediction_json(), without algorithm, protocol and channels.
std::string sends_json(std::span<const SendRow> rows, const SendRowsOf& of);

}  // namespace linerate::topo
