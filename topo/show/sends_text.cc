// See sends_text.h.
#include "topo/show/sends_text.h"

#include "topo/show/json.h"
#include "topo/show/plain_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace linerate::topo {
namespace {

// A size that divides by the ranks and by nccl-tests' grain, as the row of a run has it.
std::size_t row_size(const SendRange& range, std::size_t bytes, int nranks) {
  const auto ranks = static_cast<std::size_t>(nranks);
  return range.collective.divides_by_ranks ? bytes / ranks / kGrainBytes * kGrainBytes * ranks
                                           : bytes;
}

std::string heading(const SendRowsOf& of) {
  const auto on = of.nnodes.size() == 1
                      ? fmt::format(", {} ranks on {}", of.gpus * of.nnodes.front(),
                                    counted(static_cast<std::size_t>(of.nnodes.front()), "node"))
                      : std::string();
  return fmt::format(
      "NCCL {}{}: it makes {} of sends, for which it has no model.\n"
      "A bound by the busiest link; runs stay below, within some percent:\n\n",
      text_of(of.version), on, of.collective.name);
}

std::string columns(const SendRowsOf& of) {
  const std::string nodes =
      of.nnodes.size() > 1 ? fmt::format("{:>6} {:>7} ", "nodes", "ranks") : "";
  return fmt::format("{}{:>14} {:>14} {:>10} {:>10}  {}\n{:>{}} {:>14} {:>10} {:>10}\n", nodes,
                     of.collective.name, "time", "algbw", "busbw", "bound by", "(B)",
                     nodes.size() + 14, "(us)", "(GB/s)", "(GB/s)");
}

std::string line_of(const SendRow& row, bool with_nodes) {
  const auto nodes = with_nodes ? fmt::format("{:>6} {:>7} ", row.nnodes, row.nranks) : "";
  return fmt::format("{}{:>14} {:>14.2f} {:>10.2f} {:>10.2f}  {}\n", nodes, row.bytes,
                     row.bound.time_us, row.bound.algbw_gbps, row.bound.busbw_gbps,
                     row.bound.bound_by);
}

}  // namespace

std::vector<SendRow> send_rows(const Graph& graph, const std::optional<SendCosts>& costs,
                               const SendRange& range) {
  if (!costs) return {};
  const int nranks = static_cast<int>(graph.of(NodeKind::gpu).size()) * range.nnodes;
  const auto factor = static_cast<std::size_t>(range.step_factor);
  std::vector<SendRow> rows;
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

std::string sends_table(std::span<const SendRow> rows, const SendRowsOf& of) {
  auto text = heading(of) + columns(of);
  for (const auto& row : rows) text += line_of(row, of.nnodes.size() > 1);
  if (rows.empty()) text += "nothing: too few bytes for each rank, or no way between them\n";
  return text;
}

std::string sends_json(std::span<const SendRow> rows, const SendRowsOf& of) {
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
