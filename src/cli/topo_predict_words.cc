// See topo_predict_words.h.
#include "cli/topo_predict_words.h"

#include "base/text.h"
#include "cli/node_counts.h"
#include "cli/values.h"
#include "topo/model/p2p_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace linerate {
namespace {

constexpr std::int64_t kMaxNodes = 65536, kMaxFactor = 1024;

// all_to_all, alltoall_perf or alltoall.
const Collective* collective_called(const std::string& text) {
  const auto* const found = find_collective(text);
  return found != nullptr ? found : find_collective(text + "_perf");
}

Refusal read_collective(const PredictTexts& texts, TopoConfig& config) {
  const auto* const collective = collective_called(texts.collective);
  const std::string_view name = collective != nullptr ? collective->name : texts.collective;
  auto names = topo::p2p_collectives();
  if (collective != nullptr && topo::is_p2p_collective(*collective)) config.sends = collective;
  for (const auto function : topo::kAllFunctions) {
    names.push_back(name_of(function));
    if (name_of(function) == name) config.function = function;
  }
  if (std::ranges::count(names, name) > 0) return {};
  if (collective != nullptr && collective->varies)
    return fmt::format(
        "--predict: {} moves what its traffic says, which only a run knows: the "
        "results of a run on GPUs have its bound (expected_busbw_gbps).",
        name);
  return "--predict: " + unknown_choice("collective", texts.collective, names);
}

// Where nothing is reduced an element type is as good as any other: bytes move.
Refusal read_reduction(const CLI::App& app, const PredictTexts& texts, TopoConfig& config) {
  const auto type = parse_data_type(texts.type);
  if (!type) return "-d/--datatype: " + type.sentence();
  const auto op = parse_red_op(texts.op);
  if (!op) return "-o/--op: " + op.sentence();
  const auto* const collective = collective_called(texts.collective);
  if (app.count("--op") > 0 && !collective->reduces)
    return fmt::format("-o/--op: {} reduces nothing: leave the operator out.", collective->name);
  config.reduced = {*type, *op};
  return {};
}

Refusal read_sizes_to_predict(const PredictTexts& texts, TopoConfig& config) {
  if (auto refusal = set_bytes({"-b/--minbytes", texts.min_bytes}, 1, config.min_bytes))
    return refusal;
  if (auto refusal = set_bytes({"-e/--maxbytes", texts.max_bytes}, 1, config.max_bytes))
    return refusal;
  if (config.max_bytes < config.min_bytes) return "-e/--maxbytes must not be below -b/--minbytes.";
  return set_whole({"-f/--stepfactor", texts.step_factor}, {2, kMaxFactor}, config.step_factor);
}

}  // namespace

void describe_collective(CLI::App& app, PredictTexts& texts) {
  app.add_option("--predict", texts.collective,
                 "a collective: time, algorithm, protocol, channels and busbw that NCCL's cost "
                 "model gives, by size, and where its choice changes; a bound for collectives that "
                 "NCCL makes of sends (alltoall, gather, scatter, sendrecv, hypercube)")
      ->type_name("COLLECTIVE");
}

void describe_range(CLI::App& app, PredictTexts& texts) {
  app.add_option("-b,--minbytes", texts.min_bytes, "--predict: smallest size")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("-e,--maxbytes", texts.max_bytes, "--predict: largest size")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("-f,--stepfactor", texts.step_factor, "--predict: from one size to the next")
      ->type_name("FACTOR")
      ->capture_default_str();
  app.add_option("-d,--datatype", texts.type, "--predict: element type")
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option("-o,--op", texts.op, "--predict: reduction operator")
      ->type_name("OPERATOR")
      ->capture_default_str();
  app.add_option(
         "--nodes", texts.nnodes,
         "--predict: numbers of such nodes, or of the first ones of a cluster: 16, 1,2,8 or "
         "1:4096, which doubles; without it one, or all of the cluster")
      ->type_name("NUMBERS");
}

Refusal read_prediction(const CLI::App& app, const PredictTexts& texts, TopoConfig& config) {
  if (auto refusal = read_collective(texts, config)) return refusal;
  if (auto refusal = read_reduction(app, texts, config)) return refusal;
  if (auto refusal = read_sizes_to_predict(texts, config)) return refusal;
  if (texts.nnodes.empty()) return {};
  return set_node_counts({"--nodes", texts.nnodes}, {1, kMaxNodes}, config.nnodes);
}

}  // namespace linerate
