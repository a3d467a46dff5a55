// Variables first, then options, then what they mean together.
#include "cli/parse.h"

#include "base/text.h"
#include "cli/checks.h"
#include "cli/tokens.h"
#include "cli/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <span>
#include <string_view>

namespace linerate {
namespace {

bool explains(const OptionRow& row) {
  const auto rows = help_options();
  return &row >= rows.data() && &row < rows.data() + rows.size();
}

// The values that differ from the table's defaults, as typed: "-f 2"; each option's last one.
// Without --list and --dry-run, which change nothing of a run.
std::vector<std::string> changed_options(std::span<const Token> tokens) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& [row, text] = tokens[i];
    const auto later = tokens.subspan(i + 1);
    const bool replaced = std::ranges::any_of(later, [&](const auto& t) { return t.row == row; });
    if (replaced || explains(*row) || (!row->is_flag() && text == row->default_text)) continue;
    texts.push_back(row->shortest() + (row->is_flag() ? "" : " ") + text);
  }
  return texts;
}

// One for each variable that begins with `prefix` and is none of ours: a slip of the pen has no
// effect.
std::vector<std::string> unknown_variables(const Environment& environment, std::string_view prefix,
                                           const std::vector<std::string_view>& known) {
  std::vector<std::string> notes;
  for (const auto& name : environment.names_with(prefix)) {
    if (std::ranges::find(known, name) != known.end()) continue;
    if (name.starts_with("LINERATE_FAKE_")) continue;  // read by the fakes of tests
    const auto near = nearest_match(name, known);
    const auto hint = near.empty() ? std::string(".") : fmt::format(": did you mean {}?", near);
    notes.push_back(fmt::format("{} is no variable of linerate and has no effect{}", name, hint));
  }
  return notes;
}

std::vector<std::string> notes_on_variables(const Environment& environment) {
  std::vector<std::string_view> of_nccl_tests, own;
  for (const auto& row : variables())
    (row.of_nccl_tests() ? of_nccl_tests : own).push_back(row.name);
  for (const auto& row : other_variables())
    if (row.names.starts_with("LINERATE_")) own.push_back(row.names);
  auto notes = unknown_variables(environment, "NCCL_TESTS_", of_nccl_tests);
  std::ranges::move(unknown_variables(environment, "LINERATE_", own), std::back_inserter(notes));
  return notes;
}

Refusal foreign_option(const OptionRow& row, const Invocation& call) {
  if (has_option(call.audience(), row)) return {};
  if (call.audience() == Audience::p2p)
    return fmt::format(
        "{} has no {}: it times latency at -b and bandwidth at -e. -h lists its options.",
        call.program, row.label());
  const auto owner =
      row.audience == Audience::suite ? fmt::format("{} suite", kLinerate) : std::string(kPairs);
  return fmt::format("{} has no {}: it belongs to {}.", call.program, row.label(), owner);
}

// memcpy_perf takes linerate's own alone.
Refusal apply_variables(const Environment& environment, bool runs_ranks, ParsedRun& parsed) {
  for (const auto& row : variables()) {
    if (row.of_nccl_tests() && !runs_ranks) continue;
    const auto text = environment.get(row.name);
    if (!text || text->empty()) continue;
    if (auto refusal = row.apply({row.name, *text}, parsed.config)) return refusal;
    if (*text != row.default_text) parsed.changed.push_back(fmt::format("{}={}", row.name, *text));
  }
  return {};
}

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
  run.repetition_s = suite.repetition_s;
  run.turns = suite.turns;
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

// The runs of `linerate suite`: one for each collective, as its tool would run it under the same
// options, and one for the pairs of ranks, which takes those of `tokens` that p2p_perf has; in the
// order in which they run. -J FILE.json of a collective is FILE.COLLECTIVE.json.
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

// What does not contradict itself.
Result<std::vector<RunConfig>> runs_of(const Invocation& call, const RunConfig& config,
                                       std::span<const Token> tokens) {
  if (call.audience() == Audience::suite) return suite_runs(config, tokens);
  if (const auto refusal = contradiction(config)) return Failure{*refusal};
  return std::vector{config};
}

}  // namespace

Result<ParsedRun> parse_run(const Invocation& call, const Environment& environment) {
  assert(call.command == Command::perf || call.command == Command::suite ||
         call.command == Command::memcpy);
  const bool runs_ranks = call.audience() != Audience::memcpy;
  ParsedRun parsed;
  if (asks_for_help(call.words, call.audience())) {
    parsed.intent = Intent::help;
    return parsed;
  }
  const auto tokens = tokenise(call.words, call.audience());
  if (!tokens) return tokens.failure();
  auto& config = parsed.config;
  config.program = call.command == Command::suite ? "suite" : call.program;
  config.args = call.args;
  config.collective = call.collective;
  // RunConfig's own defaults are the collectives'.
  if (call.audience() == Audience::p2p) set_defaults(pair_options(), config);
  if (!runs_ranks) set_defaults(memcpy_options(), config);
  if (is_given(*tokens, "help") || is_given(*tokens, "version")) {
    parsed.intent = is_given(*tokens, "help") ? Intent::help : Intent::version;
    return parsed;
  }
  for (const auto& token : *tokens)
    if (const auto refusal = foreign_option(*token.row, call)) return Failure{*refusal};
  if (const auto refusal = apply_variables(environment, runs_ranks, parsed))
    return Failure{*refusal};
  if (const auto refusal = apply_options<RunConfig>(*tokens, call.audience(), config))
    return Failure{*refusal};
  config.keep_process_samples = config.per_iter_timing && !config.json_file.empty();
  auto runs = runs_of(call, config, *tokens);
  if (!runs) return runs.failure();
  parsed.runs = *std::move(runs);
  if (const auto refusal = runs_ranks ? Refusal() : check_memcpy(config)) return Failure{*refusal};
  std::ranges::move(changed_options(*tokens), std::back_inserter(parsed.changed));
  if (runs_ranks) parsed.notes = notes_on_variables(environment);
  return parsed;
}

}  // namespace linerate
