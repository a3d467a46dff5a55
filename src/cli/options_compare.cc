// The options of linerate compare.
#include "base/text.h"
#include "base/units.h"
#include "cli/compare_config.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace linerate {
namespace {

constexpr std::int64_t kMostRepeats = 10'000;
constexpr double kLargestEffect = 1;  // twice the time

constexpr std::array<Choice<std::optional<RunStatistic>>, 4> kStatistics{
    {{"auto", std::nullopt},
     {"median", RunStatistic::median},
     {"window", RunStatistic::window},
     {"min", RunStatistic::minimum}}};
Refusal add_command(const Argument& given, CompareConfig& config) {
  config.commands.emplace_back(given.text);
  return {};
}

Refusal set_seed(const Argument& given, CompareConfig& config) {
  return set_read(whole_number(given, {}), config.seed);
}

Refusal set_baseline(const Argument& given, CompareConfig& config) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-';
  };
  bool good = !given.text.empty() && !given.text.starts_with('.') && given.text.size() <= 100;
  for (const char c : given.text) good = good && fits(static_cast<unsigned char>(c));
  if (!good)
    return fmt::format("{} '{}' is no name: give up to 100 letters, digits, '-', '_' and '.'.",
                       given.label, plain_text(given.text));
  config.save_baseline = given.text;
  return {};
}

constexpr std::array<Choice<TurnsAt>, 2> kTurns{
    {{"runs", TurnsAt::runs}, {"windows", TurnsAt::windows}}};

constexpr auto kCompareRows = std::to_array<OptionRow>({
    {.long_name = "run",
     .metavar = "COMMAND",
     .help = "measure a side with this command, by sh -c; twice: A and B in turns",
     .note = "Any command that writes linerate's JSON Lines (the tools do, as LINERATE_JSONL "
             "says: leave --jsonl out) or prints nccl-tests' table or OSU's text.",
     .apply = add_command},
    {.long_name = "repeat",
     .metavar = "N",
     .help = "how often each side runs; without it 10 times, or 30 with --turns windows",
     .belongs_to = "run",
     .apply = set_whole_of<CompareConfig, 1, kMostRepeats, &CompareConfig::repeats>},
    {.long_name = "turns",
     .metavar = "AT",
     .default_text = "runs",
     .help = "the sides take turns at runs, or start together and do at windows",
     .note = "Windows find smaller differences where the machine is not steady. Both must be "
             "linerate's benchmarks (all *_perf), with rank 0 on this host. See "
             "[taking turns](comparing-runs.md#taking-turns).",
     .belongs_to = "run",
     .apply = set_choice<CompareConfig, kTurns, &CompareConfig::turns>},
    {.long_name = "seed",
     .metavar = "N",
     .help = "draw the same order of turns again; it is printed",
     .belongs_to = "run",
     .apply = set_seed},
    {.long_name = "keep",
     .metavar = "FOLDER",
     .help = "keep what is measured: FOLDER/a.jsonl, FOLDER/b.jsonl",
     .note = "Files that exist are appended to.",
     .belongs_to = "run",
     .apply = set_text<CompareConfig, &CompareConfig::keep_folder>},
    kProgressRow<CompareConfig>,
});

constexpr auto kJudgeRows = std::to_array<OptionRow>({
    {.long_name = "smallest",
     .metavar = "PERCENT",
     .default_text = "2%",
     .help = "the smallest change of time that matters",
     .note = "SAME means that the change is certainly smaller; SLOWER and FASTER are never said "
             "of less.",
     .apply = set_smallest},
    {.long_name = "statistic",
     .metavar = "NAME",
     .default_text = "auto",
     .help = "what stands for a run: median or min of its samples, its window, or auto",
     .note = "See [which number of a run](comparing-runs.md#which-number-of-a-run).",
     .apply = set_choice<CompareConfig, kStatistics, &CompareConfig::statistic>},
    {.long_name = "force",
     .help = "compare other types, ranks, collectives and sizes of buffers all the same",
     .apply = set_flag<CompareConfig, &CompareConfig::force>},
    {.long_name = "gate",
     .help = "exit 3 where a case is SLOWER",
     .apply = set_flag<CompareConfig, &CompareConfig::gate>},
});

constexpr auto kCompareOutputRows = std::to_array<OptionRow>({
    {.long_name = "markdown",
     .help = "print Markdown",
     .apply = set_flag<CompareConfig, &CompareConfig::markdown>},
    {.long_name = "json",
     .help = "print one JSON object",
     .apply = set_flag<CompareConfig, &CompareConfig::json>},
    {.long_name = "junit",
     .metavar = "FILE",
     .help = "also write JUnit's XML: SLOWER fails, UNSURE is skipped",
     .apply = set_file_of<CompareConfig, &CompareConfig::junit_file>},
    {.long_name = "save-baseline",
     .metavar = "NAME",
     .help = "keep the runs of the last side under NAME, to be A in later comparisons",
     .apply = set_baseline},
    {.long_name = "baselines",
     .help = "list what was kept with --save-baseline",
     .apply = set_flag<CompareConfig, &CompareConfig::list_baselines>},
});

Refusal check_compare(const CompareConfig& config) {
  if (config.markdown && config.json)
    return "--markdown and --json exclude each other: give one of them.";
  if (config.list_baselines && config.sides() > 0)
    return "--baselines lists and compares nothing: leave the sides out.";
  if (config.turns == TurnsAt::windows && config.commands.size() != 2)
    return fmt::format(
        "--turns windows is between two --run 'COMMAND', and there {} {}: give both.",
        config.commands.size() == 1 ? "is" : "are", config.commands.size());
  if (config.list_baselines || config.sides() == 2) return {};
  if (config.sides() == 1 && !config.save_baseline.empty()) return {};
  return fmt::format(
      "linerate compare needs two sides and got {}: give A and B, each a file, a folder of files, "
      "the name of a baseline, or a --run 'COMMAND'.",
      config.sides());
}

}  // namespace

Refusal set_smallest(const Argument& given, CompareConfig& config) {
  const auto effect = parse_percent(given.label, given.text);
  if (!effect) return effect.sentence();
  if (*effect <= 0 || *effect > kLargestEffect)
    return fmt::format("{} {} is no difference that could matter: give more than 0 %, up to 100%.",
                       given.label, given.text);
  config.smallest = *effect;
  return {};
}

std::span<const OptionRow> compare_run_options() { return kCompareRows; }
std::span<const OptionRow> compare_turn_options() {
  return compare_run_options().subspan(1);  // all but --run
}
std::span<const OptionRow> compare_judge_options() { return kJudgeRows; }
std::span<const OptionRow> compare_output_options() { return kCompareOutputRows; }

Result<CompareConfig> parse_compare(const std::vector<std::string>& words) {
  CompareConfig config;
  const auto [options, sources] = without_operands(words, Audience::compare);
  const auto given = read_options(options, Audience::compare, config);
  if (!given) return given.failure();
  config.sources = sources;
  if (const auto refusal = check_compare(config)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
