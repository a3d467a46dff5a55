#include "topo/show/prediction.h"

#include "base/text.h"
#include "base/units.h"
#include "record/json_io.h"
#include "topo/show/text_layout.h"
#include "topo/show/views.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace linerate::topo {
namespace {

std::string set_text(std::string_view name, const ChannelSet& set) {
  if (set.nchannels() == 0) return {};
  if (set.simple_order)
    return fmt::format("  {:<13} NCCL finds no path for it and takes the simple order\n", name);
  auto text = fmt::format("  {:<13} {:3} x {:>5g} GB/s ({})", name, set.nchannels(), set.intra_gbps,
                          name_of(set.intra_type));
  if (set.inter_type != PathType::loc && set.inter_gbps > 0 && set.channels.front().net_in >= 0)
    text += fmt::format(", between nodes {:g} GB/s ({})", set.inter_gbps, name_of(set.inter_type));
  return text + '\n';
}

std::string nodes_head(bool shown) {
  return shown ? fmt::format("{:>6} {:>7} ", "nodes", "ranks") : "";
}

template <typename Row>
std::string nodes_cells(const Row& row, bool shown) {
  return shown ? fmt::format("{:>6} {:>7} ", row.nnodes, row.nranks) : "";
}

// Expected time and bandwidth, its band, and whose runs it rests on.
constexpr std::string_view kExpectedHead = "{:>12} {:>9} {:>16} {:>8}";

std::string expected_head(bool units) {
  return units ? fmt::format(kExpectedHead, "(us)", "(GB/s)", "(GB/s)", "")
               : fmt::format(kExpectedHead, "time", "busbw", "low to high", "sources");
}

std::string expected_cells(const std::optional<Forecast>& expected) {
  if (!expected) return fmt::format(kExpectedHead, "-", "-", "-", "-");
  const auto band = fmt::format("{:.2f} to {:.2f}", expected->low_gbps, expected->high_gbps);
  return fmt::format("{:>12.2f} {:>9.2f} {:>16} {:>8}", expected->time_us, expected->busbw_gbps,
                     band, expected->sources);
}

std::string head(Function function, const PredictionColumns& columns) {
  const auto nodes = nodes_head(columns.nodes);
  const std::string blank(nodes.size(), ' ');
  return fmt::format("{}{:>14} {:>9} {:>8} {:>8} {} {:>9}{}\n{}{:>14} {:>9} {:>8} {:>8} {} {:>9}\n",
                     nodes, name_of(function), "algorithm", "protocol", "channels",
                     expected_head(false), "NCCL", columns.bound_by ? "  bound by" : "", blank,
                     "(B)", "", "", "", expected_head(true), "(GB/s)");
}

std::string line(const PredictedRow& row, const PredictionColumns& columns) {
  const Prediction& p = row.predicted.nccl;
  const auto& expected = row.predicted.forecast;
  return fmt::format("{}{:>14} {:>9} {:>8} {:>8} {} {:>9}{}\n", nodes_cells(row, columns.nodes),
                     p.bytes, name_of(p.algorithm), name_of(p.protocol), p.channels,
                     expected_cells(expected), expected ? fmt::format("{:.2f}", p.busbw_gbps) : "-",
                     columns.bound_by ? "  " + row.predicted.bound_by : "");
}

// What the columns are, and what a line without numbers is.
std::string legend(std::span<const PredictedRow> rows) {
  std::string text =
      "\nbusbw: what to expect; 80 % of healthy machines lie between low and high. sources: how\n"
      "many published this; 0: none, so the band is wide. NCCL: what its tuner believes, which\n"
      "is made to choose.\n";
  const auto unknown = [](const PredictedRow& row) { return !row.predicted.forecast; };
  if (std::ranges::any_of(rows, unknown))
    text +=
        "-: NCCL finds no path between these GPUs or to a NIC, and takes them in simple order. "
        "Its\n"
        "model has no speed for that. See --matrix for what keeps them apart, and --lint.\n";
  return text;
}

using Json = nlohmann::ordered_json;

void add_expected(Json& json, const std::optional<Forecast>& expected) {
  if (!expected) return;
  json["expected_time_us"] = expected->time_us;
  json["expected_busbw_gbps"] = expected->busbw_gbps;
  json["expected_low_gbps"] = expected->low_gbps;
  json["expected_high_gbps"] = expected->high_gbps;
  json["expected_sources"] = expected->sources;
}

Json json_of(const CallParts& parts) {
  return {{"latency_us", parts.latency_us},
          {"nic_us", parts.nic_us},
          {"transfer_us", parts.transfer_us},
          {"depth", parts.depth},
          {"ring_gbps", parts.ring_gbps}};
}

Json json_of(const SendPlan& plan, double link_us) {
  return {{"protocol", name_of(plan.protocol)},
          {"channels", plan.channels},
          {"channel_gbps", plan.channel_gbps},
          {"peers", plan.peers},
          {"moved_bytes", plan.moved_bytes},
          {"crossing_bytes", plan.crossing_bytes},
          {"net_channels", plan.net_channels},
          {"ring_gbps", plan.ring_gbps},
          {"link_us", link_us}};
}

Json json_of(const PredictedRow& row) {
  const Prediction& p = row.predicted.nccl;
  Json json{{"nnodes", row.nnodes},
            {"nranks", row.nranks},
            {"bytes", p.bytes},
            {"algorithm", name_of(p.algorithm)},
            {"protocol", name_of(p.protocol)},
            {"channels", p.channels}};
  add_expected(json, row.predicted.forecast);
  if (row.predicted.forecast) {
    json["ncclmodel_time_us"] = p.time_us;
    json["ncclmodel_busbw_gbps"] = p.busbw_gbps;
  }
  json["bound_by"] = row.predicted.forecast ? row.predicted.bound_by : "no path";
  if (row.predicted.forecast) json["parts"] = json_of(row.predicted.parts);
  return json;
}

Json json_of(const P2pRow& row) {
  Json json{{"nnodes", row.nnodes}, {"nranks", row.nranks}, {"bytes", row.bytes}};
  add_expected(json, row.forecast);
  json["bound_time_us"] = row.bound.time_us;
  json["bound_busbw_gbps"] = row.bound.busbw_gbps;
  json["bound_by"] = row.bound.bound_by;
  if (row.sends) json["parts"] = json_of(*row.sends, row.bound.time_us - row.bound.latency_us);
  return json;
}

template <typename Row>
std::string json_text(std::span<const Row> rows, std::string_view collective,
                      const PredictionFacts& facts) {
  Json json{{"kind", "prediction"},          {"schema", kTopologySchema},
            {"collective", collective},      {"nccl_version", text_of(facts.version)},
            {"environment", Json::object()}, {"rows", Json::array()}};
  for (const auto& [name, value] : facts.asked.given) json["environment"][name] = value;
  for (const auto& row : rows) json["rows"].push_back(json_of(row));
  json["unseen"] = facts.unseen;
  return json::document(std::move(json));
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
  text += fmt::format("  collectives run on {}",
                      counted(static_cast<std::size_t>(job.channels.coll_channels), "channel"));
  if (job.nvls()) text += fmt::format(", NVLS on {}", job.channels.nvls_channels);
  return text + "\n\n";
}

std::string prediction_table(std::span<const PredictedRow> rows, Function function,
                             const PredictionColumns& columns) {
  auto text = head(function, columns);
  for (const auto& row : rows) text += line(row, columns);
  return text + legend(rows);
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
                            const PredictionFacts& facts) {
  return json_text(rows, name_of(function), facts);
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
  return fmt::format("NCCL {}{}: it makes {} of sends, for which it has no model.\n\n",
                     text_of(of.facts.version), on, of.collective.name);
}

std::string columns(const P2pRowsOf& of) {
  const auto nodes = nodes_head(of.nnodes.size() > 1);
  return fmt::format("{}{:>14} {} {:>9}  {}\n{:>{}} {} {:>9}\n", nodes, of.collective.name,
                     expected_head(false), "bound", "bound by", "(B)", nodes.size() + 14,
                     expected_head(true), "(GB/s)");
}

std::string line_of(const P2pRow& row, bool with_nodes) {
  return fmt::format("{}{:>14} {} {:>9.2f}  {}\n", nodes_cells(row, with_nodes), row.bytes,
                     expected_cells(row.forecast), row.bound.busbw_gbps, row.bound.bound_by);
}

constexpr std::string_view kP2pLegend =
    "\nbusbw: what to expect; 80 % of healthy machines lie between low and high. sources: how "
    "many\n"
    "published this; 0: none, so the band is wide. bound: what the busiest link allows.\n";

}  // namespace

std::vector<P2pRow> p2p_rows(const JobShape& job, const std::optional<P2pCosts>& costs,
                             const P2pRange& range) {
  if (!costs) return {};
  const int nranks = job.nranks;
  const auto factor = static_cast<std::size_t>(range.step_factor);
  std::vector<P2pRow> rows;
  std::size_t last = 0;
  for (std::size_t bytes = range.min_bytes;; bytes *= factor) {
    const auto size = row_size(range, bytes, nranks);
    if (size != last)
      if (auto bound = costs->at(size)) {
        rows.push_back(
            {job.nnodes, nranks, size, *std::move(bound), forecast(job, *costs, size), {}});
        if (costs->steps.size() == 1)
          rows.back().sends = send_plan(job, costs->steps.front(), size);
      }
    last = size;
    if (bytes > range.max_bytes / factor) return rows;
  }
}

std::string p2p_table(std::span<const P2pRow> rows, const P2pRowsOf& of) {
  auto text = heading(of) + columns(of);
  for (const auto& row : rows) text += line_of(row, of.nnodes.size() > 1);
  if (rows.empty()) return text + "nothing: too few bytes for each rank, or no way between them\n";
  return text.append(kP2pLegend);
}

std::string p2p_json(std::span<const P2pRow> rows, const P2pRowsOf& of) {
  return json_text(rows, of.collective.name, of.facts);
}

}  // namespace linerate::topo
