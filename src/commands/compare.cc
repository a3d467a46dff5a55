// linerate compare: gets both sides, compares them, prints the result.
#include "base/file.h"
#include "base/log.h"
#include "cli/compare_config.h"
#include "commands/command.h"
#include "commands/compare_runs.h"
#include "commands/compare_sources.h"
#include "compare/comparison.h"
#include "compare/text.h"
#include "compare/words.h"
#include "output/text_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {
namespace {

CompareRules rules_of(const CompareConfig& config) {
  CompareRules rules{.statistic = config.statistic, .force = config.force};
  rules.rule.smallest = config.smallest;
  return rules;
}

std::string text_of(const CommandInput& input, const CompareConfig& config,
                    const RunComparison& comparison) {
  if (config.json) return json_text(comparison);
  if (config.markdown) return markdown_text(comparison);
  const bool colours = TextFile::standard_output().terminal() && !input.environment.has("NO_COLOR");
  return terminal_text(comparison, colours);
}

void write_junit(const std::string& path, const RunComparison& comparison) {
  if (path.empty()) return;
  if (const auto failed = write_whole_file(path, junit_text(comparison)))
    throw Error(fmt::format("'{}' cannot be written: {}.", path, *failed), ExitCode::usage);
}

ExitCode save(const CommandInput& input, const std::string& name, const LoadedSide& side) {
  if (side.side.runs.empty()) return refuse("There is no run to keep as a baseline.");
  const auto path = save_baseline(name, side, input.environment);
  if (!path) return refuse(path.sentence());
  say(fmt::format("note: {} {} kept as baseline {}, in {}", runs_words(side.side),
                  side.side.runs.size() == 1 ? "is" : "are", name, path->string()));
  return ExitCode::ok;
}

ExitCode compare_and_print(const CommandInput& input, const CompareConfig& config, Side a, Side b) {
  const auto comparison = compare_sides(std::move(a), std::move(b), rules_of(config));
  if (!comparison) return refuse(comparison.sentence());
  TextFile::standard_output().write(text_of(input, config, *comparison));
  write_junit(config.junit_file, *comparison);
  const bool slower = comparison->count(stats::Difference::slower) > 0;
  return config.gate && slower ? ExitCode::finding : ExitCode::ok;
}

struct Written {
  std::string_view option{};
  std::filesystem::path path{};
};

std::vector<Written> written_by(const CompareConfig& config) {
  std::vector<Written> files;
  if (!config.junit_file.empty()) files.push_back({"--junit", config.junit_file});
  for (std::size_t i = 0; i < config.commands.size() && !config.keep_folder.empty(); ++i)
    files.push_back({"--keep", kept_file(config, i)});
  return files;
}

// What is compared must not be written to.
Refusal overwriting(const CommandInput& input, const CompareConfig& config) {
  const auto files = written_by(config);
  for (const auto& source : config.sources)
    if (const auto path = path_of_source(source, input.environment))
      for (const auto& [option, file] : files)
        if (is_part_of(file, *path))
          return fmt::format("{} would write to '{}', and '{}' is compared: name another place.",
                             option, file.string(), source);
  for (const auto& [option, file] : files)
    if (option != "--junit" &&
        file.lexically_normal() == std::filesystem::path(config.junit_file).lexically_normal())
      return fmt::format("{} and --junit name the same file, '{}': give each its own.", option,
                         file.string());
  return {};
}

ExitCode run_comparison(const CommandInput& input, const CompareConfig& config) {
  if (const auto refusal = overwriting(input, config)) return refuse(*refusal);
  std::vector<LoadedSide> sides;
  for (const auto& source : config.sources) {
    auto loaded = load_side(source, input.environment);
    if (!loaded) return refuse(loaded.sentence());
    sides.push_back(*std::move(loaded));
  }
  auto measured = measure_sides(input, config);
  std::ranges::move(measured.sides, std::back_inserter(sides));
  if (!config.save_baseline.empty() && !measured.interrupted)
    if (const auto code = save(input, config.save_baseline, sides.back()); code != ExitCode::ok)
      return code;
  auto code = ExitCode::ok;
  if (sides.size() == 2 && !sides[0].side.runs.empty() && !sides[1].side.runs.empty())
    code = compare_and_print(input, config, std::move(sides[0].side), std::move(sides[1].side));
  return measured.interrupted ? ExitCode::interrupted : code;
}

}  // namespace

ExitCode compare_command(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::compare)) return ExitCode::ok;
  const auto config = parse_compare(input.call.words);
  if (!config) return refuse(config.sentence());
  if (config->list_baselines) {
    fmt::print("{}", baselines_text(input.environment));
    return ExitCode::ok;
  }
  return run_comparison(input, *config);
}

}  // namespace linerate
