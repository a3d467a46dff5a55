// Options that only some of the tools have are those tools' alone.
#include "cli/suite_runs.h"

#include "cli/checks.h"
#include "cli/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace linerate {
namespace {

// Ends in .json, in any case: the option was checked.
std::string json_file_of(const std::string& path, std::string_view collective) {
  constexpr std::size_t kSuffix = std::string_view(".json").size();
  if (path.empty()) return path;
  const auto stem = path.size() - kSuffix;
  return fmt::format("{}.{}{}", path.substr(0, stem), collective, path.substr(stem));
}

RunConfig run_of(const RunConfig& suite, const Collective& collective) {
  RunConfig run = suite;
  run.collective = &collective;
  run.program = collective.binary;
  run.json_file = json_file_of(suite.json_file, collective.name);
  if (!collective.chooses) run.algorithm.clear();
  return run;
}

Result<RunConfig> pairs_of(const RunConfig& suite, std::span<const Token> tokens) {
  RunConfig run;
  run.program = kPairs;
  run.args = suite.args;
  run.base_device = suite.base_device;
  run.split = suite.split;
  run.study = suite.study;
  run.repetition = suite.repetition;
  run.repetitions = suite.repetitions;
  run.jsonl_file = suite.jsonl_file;
  set_defaults(pair_options(), run);
  for (const auto& token : tokens) {
    const auto* row = find_option(Audience::p2p, token.row->long_name);
    if (row == nullptr) continue;
    if (auto refusal = apply(*row, {row->label(), token.text}, run)) return Failure{*refusal};
  }
  const bool has_bound = !run.emulate_file.empty() || run.backend == "fake";
  if (!has_bound) run.fail_below.reset();
  return run;
}

Refusal check_suite(const RunConfig& suite, std::span<const Collective* const> collectives) {
  if (suite.run_cycles == 0)
    return "-N/--run_cycles 0 repeats the first collective for ever: give a number of times.";
  const bool any_chooses = std::ranges::any_of(collectives, &Collective::chooses);
  if (suite.algorithm.empty() || any_chooses) return {};
  return "--algo: there is one way only to do each of these collectives: leave it out.";
}

}  // namespace

Result<std::vector<RunConfig>> suite_runs(const RunConfig& suite, std::span<const Token> tokens) {
  const auto& chosen = suite.suite.collectives;
  const auto collectives = chosen.empty() ? all_collectives() : std::span(chosen);
  if (auto refusal = check_suite(suite, collectives)) return Failure{*refusal};
  std::vector<RunConfig> runs;
  for (const auto* collective : collectives) runs.push_back(run_of(suite, *collective));
  if (suite.suite.pairs) {
    auto pairs = pairs_of(suite, tokens);
    if (!pairs) return pairs.failure();
    runs.push_back(*std::move(pairs));
  }
  for (const auto& run : runs)
    if (auto refusal = contradiction(run)) return Failure{*refusal};
  return runs;
}

}  // namespace linerate
