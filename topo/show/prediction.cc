#include "topo/show/prediction.h"

#include "base/units.h"
#include "topo/show/text_layout.h"
#include "topo/show/views.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace linerate::topo {
namespace {

std::string set_text(std::string_view name, const ChannelSet& set) {
  if (set.nchannels() == 0) return {};
  auto text = fmt::format("  {:<13} {:3} x {:>5g} GB/s ({})", name, set.nchannels(), set.intra_gbps,
                          name_of(set.intra_type));
  if (set.inter_type != PathType::loc && set.inter_gbps > 0 && set.channels.front().net_in >= 0)
    text += fmt::format(", between nodes {:g} GB/s ({})", set.inter_gbps, name_of(set.inter_type));
  if (set.simple_order) text += ": NCCL finds no path for it and takes the simple order";
  return text + '\n';
}

std::string nodes_head(bool shown) {
  return shown ? fmt::format("{:>6} {:>7} ", "nodes", "ranks") : "";
}

template <typename Row>
std::string nodes_cells(const Row& row, bool shown) {
  return shown ? fmt::format("{:>6} {:>7} ", row.nnodes, row.nranks) : "";
}

std::string head(Function function, const PredictionColumns& columns) {
  const auto nodes = nodes_head(columns.nodes);
  const std::string blank(nodes.size(), ' ');
  return fmt::format(
      "{}{:>14} {:>14} {:>8} {:>8} {:>14} {:>10} {:>10}{}\n{}{:>14} {:>14} {:>8} {:>8} {:>14} "
      "{:>10} {:>10}\n",
      nodes, name_of(function), "algorithm", "protocol", "channels", "time", "algbw", "busbw",
      columns.bound_by ? "  bound by" : "", blank, "(B)", "", "", "", "(us)", "(GB/s)", "(GB/s)");
}

std::string line(const PredictedRow& row, const PredictionColumns& columns) {
  const Prediction& p = row.predicted.prediction;
  return fmt::format("{}{:>14} {:>14} {:>8} {:>8} {:>14.2f} {:>10.2f} {:>10.2f}{}{}\n",
                     nodes_cells(row, columns.nodes), p.bytes, name_of(p.algorithm),
                     name_of(p.protocol), p.channels, p.time_us, p.algbw_gbps, p.busbw_gbps,
                     columns.bound_by ? "  " : "", columns.bound_by ? row.predicted.bound_by : "");
}

using Json = nlohmann::ordered_json;

Json json_of(const PredictedRow& row) {
  const Prediction& p = row.predicted.prediction;
  return {{"nnodes", row.nnodes},
          {"nranks", row.nranks},
          {"bytes", p.bytes},
          {"algorithm", name_of(p.algorithm)},
          {"protocol", name_of(p.protocol)},
          {"channels", p.channels},
          {"time_us", p.time_us},
          {"algbw_gbps", p.algbw_gbps},
          {"busbw_gbps", p.busbw_gbps},
          {"bound_by", row.predicted.bound_by}};
}

Json json_of(const P2pRow& row) {
  return {{"nnodes", row.nnodes},
          {"nranks", row.nranks},
          {"bytes", row.bytes},
          {"time_us", row.bound.time_us},
          {"algbw_gbps", row.bound.algbw_gbps},
          {"busbw_gbps", row.bound.busbw_gbps},
          {"bound_by", row.bound.bound_by}};
}

template <typename Row>
std::string json_text(std::span<const Row> rows, std::string_view collective,
                      const NcclVersion& version, const std::vector<std::string>& unseen) {
  Json json{{"kind", "prediction"},
            {"schema", kTopologySchema},
            {"collective", collective},
            {"nccl_version", text_of(version)},
            {"rows", Json::array()}};
  for (const auto& row : rows) json["rows"].push_back(json_of(row));
  json["unseen"] = unseen;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::vector<PredictedRow> predicted_rows(ClusterPredictor& predictor,
                                         const PredictionRange& range) {
  const JobShape& job = predictor.nccl().job();
  const auto factor = static_cast<std::size_t>(range.step_factor);
  std::vector<PredictedRow> rows;
  for (std::size_t bytes = range.min_bytes;; bytes *= factor) {
    rows.push_back({.nnodes = job.nnodes,
                    .nranks = job.nranks,
                    .predicted = predictor.predict(range.function, bytes, range.reduced)});
    if (bytes > range.max_bytes / factor) return rows;
  }
}

std::string channels_text(const JobShape& job) {
  constexpr std::array kSets{Algorithm::ring, Algorithm::tree, Algorithm::nvls};
  auto text = fmt::format("NCCL {}, {} ranks on {}, channels found:\n", text_of(job.version),
                          job.nranks, counted(static_cast<std::size_t>(job.nnodes), "node"));
  for (const auto algorithm : kSets) text += set_text(name_of(algorithm), job.of(algorithm));
  text += fmt::format("  collectives run on {} channels", job.channels.coll_channels);
  if (job.nvls()) text += fmt::format(", NVLS on {}", job.channels.nvls_channels);
  return text + "\n\n";
}

std::string prediction_table(std::span<const PredictedRow> rows, Function function,
                             const PredictionColumns& columns) {
  auto text = head(function, columns);
  for (const auto& row : rows) text += line(row, columns);
  return text;
}

std::string crossovers_text(const Predictor& predictor, const PredictionRange& range) {
  const auto all =
      predictor.crossovers(range.function, range.min_bytes, range.max_bytes, range.reduced);
  std::string text = "\nchoices:\n";
  for (const auto& change : all)
    text += fmt::format("  from {:>12}: {}/{}\n", about_bytes_text(change.bytes),
                        name_of(change.algorithm), name_of(change.protocol));
  return text;
}

std::string prediction_json(std::span<const PredictedRow> rows, Function function,
                            const NcclVersion& version, const std::vector<std::string>& unseen) {
  return json_text(rows, name_of(function), version, unseen);
}

namespace {

// A size that divides by the ranks and by nccl-tests' grain, as the row of a run has it.
std::size_t row_size(const P2pRange& range, std::size_t bytes, int nranks) {
  const auto ranks = static_cast<std::size_t>(nranks);
  return range.collective.divides_by_ranks ? bytes / ranks / kGrainBytes * kGrainBytes * ranks
                                           : bytes;
}

std::string heading(const P2pRowsOf& of) {
  const auto on = of.nnodes.size() == 1
                      ? fmt::format(", {} ranks on {}", of.gpus * of.nnodes.front(),
                                    counted(static_cast<std::size_t>(of.nnodes.front()), "node"))
                      : std::string();
  return fmt::format(
      "NCCL {}{}: it makes {} of sends, for which it has no model.\n"
      "A bound by the busiest link; runs stay below, within some percent:\n\n",
      text_of(of.version), on, of.collective.name);
}

std::string columns(const P2pRowsOf& of) {
  const auto nodes = nodes_head(of.nnodes.size() > 1);
  return fmt::format("{}{:>14} {:>14} {:>10} {:>10}  {}\n{:>{}} {:>14} {:>10} {:>10}\n", nodes,
                     of.collective.name, "time", "algbw", "busbw", "bound by", "(B)",
                     nodes.size() + 14, "(us)", "(GB/s)", "(GB/s)");
}

std::string line_of(const P2pRow& row, bool with_nodes) {
  return fmt::format("{}{:>14} {:>14.2f} {:>10.2f} {:>10.2f}  {}\n", nodes_cells(row, with_nodes),
                     row.bytes, row.bound.time_us, row.bound.algbw_gbps, row.bound.busbw_gbps,
                     row.bound.bound_by);
}

}  // namespace

std::vector<P2pRow> p2p_rows(const Graph& graph, const std::optional<P2pCosts>& costs,
                             const P2pRange& range) {
  if (!costs) return {};
  const int nranks = static_cast<int>(graph.of(NodeKind::gpu).size()) * range.nnodes;
  const auto factor = static_cast<std::size_t>(range.step_factor);
  std::vector<P2pRow> rows;
  std::size_t last = 0;
  for (std::size_t bytes = range.min_bytes;; bytes *= factor) {
    const auto size = row_size(range, bytes, nranks);
    if (size != last)
      if (auto bound = costs->at(size))
        rows.push_back({range.nnodes, nranks, size, *std::move(bound)});
    last = size;
    if (bytes > range.max_bytes / factor) return rows;
  }
}

std::string p2p_table(std::span<const P2pRow> rows, const P2pRowsOf& of) {
  auto text = heading(of) + columns(of);
  for (const auto& row : rows) text += line_of(row, of.nnodes.size() > 1);
  if (rows.empty()) text += "nothing: too few bytes for each rank, or no way between them\n";
  return text;
}

std::string p2p_json(std::span<const P2pRow> rows, const P2pRowsOf& of) {
  return json_text(rows, of.collective.name, of.version, of.unseen);
}

}  // namespace linerate::topo
