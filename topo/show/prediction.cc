#include "topo/show/prediction.h"

#include "base/units.h"
#include "topo/show/json.h"
#include "topo/show/text_layout.h"

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

std::string head(Function function, const PredictionColumns& columns) {
  const std::string nodes = columns.nodes ? fmt::format("{:>6} {:>7} ", "nodes", "ranks") : "";
  const std::string blank(nodes.size(), ' ');
  return fmt::format(
      "{}{:>14} {:>14} {:>8} {:>8} {:>14} {:>10} {:>10}{}\n{}{:>14} {:>14} {:>8} {:>8} {:>14} "
      "{:>10} {:>10}\n",
      nodes, name_of(function), "algorithm", "protocol", "channels", "time", "algbw", "busbw",
      columns.bound_by ? "  bound by" : "", blank, "(B)", "", "", "", "(us)", "(GB/s)", "(GB/s)");
}

std::string line(const PredictedRow& row, const PredictionColumns& columns) {
  const Prediction& p = row.predicted.prediction;
  auto text = columns.nodes ? fmt::format("{:>6} {:>7} ", row.nnodes, row.nranks) : std::string();
  text += fmt::format("{:>14} {:>14} {:>8} {:>8} {:>14.2f} {:>10.2f} {:>10.2f}", p.bytes,
                      name_of(p.algorithm), name_of(p.protocol), p.channels, p.time_us,
                      p.algbw_gbps, p.busbw_gbps);
  if (columns.bound_by) text += "  " + row.predicted.bound_by;
  return text + '\n';
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
  constexpr std::array kSets{Algorithm::ring, Algorithm::tree, Algorithm::nvls,
                             Algorithm::collnet_chain, Algorithm::collnet_direct};
  auto text = fmt::format("NCCL {}, {} ranks on {} node{}, channels found:\n", text_of(job.version),
                          job.nranks, job.nnodes, job.nnodes == 1 ? "" : "s");
  for (const auto algorithm : kSets) text += set_text(name_of(algorithm), job.of(algorithm));
  text += fmt::format("  collectives run on {} channels", job.coll_channels);
  if (job.nvls) text += fmt::format(", NVLS on {}", job.nvls_channels);
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
  nlohmann::ordered_json json{{"kind", "prediction"},
                              {"schema", kTopologySchema},
                              {"collective", name_of(function)},
                              {"nccl_version", text_of(version)},
                              {"rows", nlohmann::ordered_json::array()}};
  for (const auto& row : rows) {
    const Prediction& p = row.predicted.prediction;
    json["rows"].push_back({{"nnodes", row.nnodes},
                            {"nranks", row.nranks},
                            {"bytes", p.bytes},
                            {"algorithm", name_of(p.algorithm)},
                            {"protocol", name_of(p.protocol)},
                            {"channels", p.channels},
                            {"time_us", p.time_us},
                            {"algbw_gbps", p.algbw_gbps},
                            {"busbw_gbps", p.busbw_gbps},
                            {"bound_by", row.predicted.bound_by}});
  }
  json["unseen"] = unseen;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
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
  const std::string nodes =
      of.nnodes.size() > 1 ? fmt::format("{:>6} {:>7} ", "nodes", "ranks") : "";
  return fmt::format("{}{:>14} {:>14} {:>10} {:>10}  {}\n{:>{}} {:>14} {:>10} {:>10}\n", nodes,
                     of.collective.name, "time", "algbw", "busbw", "bound by", "(B)",
                     nodes.size() + 14, "(us)", "(GB/s)", "(GB/s)");
}

std::string line_of(const P2pRow& row, bool with_nodes) {
  const auto nodes = with_nodes ? fmt::format("{:>6} {:>7} ", row.nnodes, row.nranks) : "";
  return fmt::format("{}{:>14} {:>14.2f} {:>10.2f} {:>10.2f}  {}\n", nodes, row.bytes,
                     row.bound.time_us, row.bound.algbw_gbps, row.bound.busbw_gbps,
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
  nlohmann::ordered_json json{{"kind", "prediction"},
                              {"schema", kTopologySchema},
                              {"collective", of.collective.name},
                              {"nccl_version", text_of(of.version)},
                              {"rows", nlohmann::ordered_json::array()}};
  for (const auto& row : rows)
    json["rows"].push_back({{"nnodes", row.nnodes},
                            {"nranks", row.nranks},
                            {"bytes", row.bytes},
                            {"time_us", row.bound.time_us},
                            {"algbw_gbps", row.bound.algbw_gbps},
                            {"busbw_gbps", row.bound.busbw_gbps},
                            {"bound_by", row.bound.bound_by}});
  json["unseen"] = of.unseen;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace linerate::topo
