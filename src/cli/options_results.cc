// The options of linerate results.
#include "base/text.h"
#include "cli/option.h"
#include "cli/results_config.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace linerate {
namespace {

// Variables are told from columns by their capital letters.
bool is_variable(std::string_view name) {
  const auto fits = [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, fits);
}

Refusal add_condition(const Argument& given, ResultsConfig& config) {
  const auto equals = given.text.find('=');
  if (equals == std::string_view::npos)
    return fmt::format("{} '{}' is no condition: give NAME=VALUE, as outcome=hung.", given.label,
                       plain_text(given.text));
  const auto name = given.text.substr(0, equals);
  const auto names = sweep::condition_names();
  if (!is_variable(name) && std::ranges::find(names, name) == names.end())
    return fmt::format("{} Or a variable of the study, in capital letters.",
                       unknown_choice("condition", name, names));
  config.conditions.push_back({std::string(name), std::string(given.text.substr(equals + 1))});
  return {};
}

Refusal add_import(const Argument& given, ResultsConfig& config) {
  return set_file(given, config.imports.emplace_back());
}

constexpr auto kResultsRows = std::to_array<OptionRow>({
    {.long_name = "where",
     .metavar = "NAME=VALUE",
     .help = "only cases of which this holds, such as outcome=hung or NCCL_ALGO=Ring",
     .note = "Again: all have to hold; of one name, one of its values.",
     .apply = add_condition},
    {.long_name = "import",
     .metavar = "FILE",
     .help = "add the runs of FILE first; again: of more files",
     .note =
         "JSON Lines, nccl-tests' and rccl-tests' tables and -J, OSU micro-benchmarks, perftest's "
         "JSON: what [linerate compare](comparing-runs.md) reads. A run that is there already "
         "is not added again.",
     .apply = add_import},
    {.long_name = "jsonl",
     .metavar = "FILE",
     .help = "write the cases, and their records as the tools wrote them",
     .note = "linerate compare, report and doctor results read it.",
     .apply = set_file_of<ResultsConfig, &ResultsConfig::jsonl_file>},
    {.long_name = "csv",
     .metavar = "FILE",
     .help = "write a line for each result, with the columns of its case",
     .apply = set_file_of<ResultsConfig, &ResultsConfig::csv_file>},
    {.long_name = "parquet",
     .metavar = "FILE",
     .help = "write the same as Parquet, where Python has pyarrow",
     .apply = set_file_of<ResultsConfig, &ResultsConfig::parquet_file>},
});

}  // namespace

std::span<const OptionRow> results_options() { return kResultsRows; }

Result<ResultsConfig> parse_results(const std::vector<std::string>& words) {
  ResultsConfig config;
  const auto options = without_operands(words, Audience::results).options;
  const auto given = read_options(options, Audience::results, config);
  if (!given) return given.failure();
  auto file = one_operand(words, Audience::results, "linerate results reads one file");
  if (!file) return file.failure();
  if (file->empty())
    return Failure{"linerate results needs the file of a sweep, as its -o/--output names it."};
  config.file = *std::move(file);
  return config;
}

}  // namespace linerate
