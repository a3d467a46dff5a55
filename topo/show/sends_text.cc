// See sends_text.h.
#include "topo/show/sends_text.h"

#include <fmt/format.h>

namespace linerate::topo {
namespace {

// A size that divides by the ranks and by nccl-tests' grain, as the row of a run has it.
std::size_t row_size(const SendRange& range, std::size_t bytes, int nranks) {
  const auto ranks = static_cast<std::size_t>(nranks);
  return range.collective.divides_by_ranks ? bytes / ranks / kGrainBytes * kGrainBytes * ranks
                                           : bytes;
}

std::string row(const SendCosts& costs, std::size_t bytes) {
  const auto bound = costs.at(bytes);
  if (!bound) return {};
  return fmt::format("{:>14} {:>14.2f} {:>10.2f} {:>10.2f}  {}\n", bytes, bound->time_us,
                     bound->algbw_gbps, bound->busbw_gbps, bound->bound_by);
}

}  // namespace

std::string sends_text(const Graph& graph, const std::optional<SendCosts>& costs,
                       const SendRange& range) {
  const int nranks = static_cast<int>(graph.of(NodeKind::gpu).size()) * range.nnodes;
  auto text = fmt::format(
      "NCCL {}, {} ranks on {} node{}: it makes {} of sends, for which it has no model.\n"
      "A bound by the busiest link; no run is faster:\n\n",
      text_of(graph.version()), nranks, range.nnodes, range.nnodes == 1 ? "" : "s",
      range.collective.name);
  text += fmt::format("{:>14} {:>14} {:>10} {:>10}  {}\n{:>14} {:>14} {:>10} {:>10}\n",
                      range.collective.name, "time", "algbw", "busbw", "bound by", "(B)", "(us)",
                      "(GB/s)", "(GB/s)");
  std::string rows;
  const auto factor = static_cast<std::size_t>(range.step_factor);
  std::size_t last = 0;
  for (std::size_t bytes = range.min_bytes; costs; bytes *= factor) {
    const auto size = row_size(range, bytes, nranks);
    if (size != last) rows += row(*costs, size);
    last = size;
    if (bytes > range.max_bytes / factor) break;
  }
  return text +
         (rows.empty() ? "nothing: too few bytes for each rank, or no way between them\n" : rows);
}

}  // namespace linerate::topo
