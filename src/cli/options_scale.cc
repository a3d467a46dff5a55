// The options of linerate scale.
#include "base/text.h"
#include "cli/option.h"
#include "cli/scale_config.h"
#include "cli/shared_rows.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace linerate {
namespace {

using scale::Study;

constexpr std::int64_t kMostSteps = 1'000'000;
constexpr std::int64_t kMostStudyRanks = 1 << 20;
constexpr std::int64_t kMostBatch = 1 << 24;

// "zero3=train_fsdp --zero 3"; without a name the command is it. An option's '=' comes later.
Refusal add_layout(const Argument& given, ScaleConfig& config) {
  const auto equals = given.text.find('=');
  const bool named = equals < given.text.find(' ');
  const auto name = named ? given.text.substr(0, equals) : given.text;
  const auto command = named ? given.text.substr(equals + 1) : given.text;
  const bool spaced = !named && equals != std::string_view::npos &&
                      given.text.substr(0, equals).find(" -") == std::string_view::npos;
  if (trim(name).empty() || trim(command).empty() || spaced)
    return fmt::format(
        "{} '{}' is no layout: give a command such as 'train_fsdp --zero 3', with "
        "NAME= before it or without; names have no spaces.",
        given.label, plain_text(given.text));
  config.study.layouts.push_back({std::string(trim(name)), std::string(trim(command))});
  return {};
}

Refusal set_ranks(const Argument& given, ScaleConfig& config) {
  return set_node_counts(given, {1, kMostStudyRanks}, config.study.ranks, "ranks");
}

using Both = std::pair<bool, bool>;  // strong, weak
constexpr std::array<Choice<Both>, 3> kScalings{
    {{"strong", {true, false}}, {"weak", {false, true}}, {"both", {true, true}}}};
constexpr std::array<Choice<bool>, 2> kOnOff{{{"on", true}, {"off", false}}};

Refusal set_scaling(const Argument& given, ScaleConfig& config) {
  struct {
    Both chosen;
  } held{};
  using Held = decltype(held);
  if (auto refusal = set_choice<Held, kScalings, &Held::chosen>(given, held)) return refusal;
  std::tie(config.study.strong, config.study.weak) = held.chosen;
  return {};
}

constexpr auto kScaleRows = std::to_array<OptionRow>({
    {.short_name = 'o',
     .long_name = "output",
     .metavar = "FOLDER",
     .help = "the folder of the study: runs.jsonl, and the page; it is made",
     .note = "A study goes on where it was interrupted: runs that runs.jsonl holds are not made "
             "again.",
     .apply = set_text<ScaleConfig, &ScaleConfig::folder>},
    {.long_name = "layout",
     .metavar = "[NAME=]COMMAND",
     .help = "a trainer with its options, such as 'zero3=train_fsdp --zero 3'; again for each",
     .apply = add_layout},
    {.long_name = "ranks",
     .metavar = "LIST",
     .help = "numbers of ranks: 1,2,4, or 1:8, which is 1, 2, 4 and 8",
     .apply = set_ranks},
    {.long_name = "scaling",
     .metavar = "HOW",
     .default_text = "strong",
     .help = "strong (the batch stays), weak (it grows with the ranks) or both",
     .apply = set_scaling},
    {.long_name = "start",
     .metavar = "HOW",
     .default_text = "threads",
     .help = "ranks are threads, processes, or started by a launcher: 'mpirun -np {ranks}'",
     .apply = set_text<ScaleConfig, &ScaleConfig::study, &Study::start>},
    {.long_name = "options",
     .metavar = "WORDS",
     .help = "more options of every trainer, such as '--model micro'",
     .apply = set_text<ScaleConfig, &ScaleConfig::study, &Study::options>},
    {.long_name = "batch",
     .metavar = "N",
     .default_text = "8",
     .help = "sequences of a step, over all ranks, on the fewest ranks",
     .apply = set_whole_of<ScaleConfig, 1, kMostBatch, &ScaleConfig::study, &Study::batch>},
    {.long_name = "steps",
     .metavar = "N",
     .default_text = "10",
     .help = "steps of each run; of more than four the first two do not count",
     .apply = set_whole_of<ScaleConfig, 1, kMostSteps, &ScaleConfig::study, &Study::steps>},
    {.long_name = "repeat",
     .metavar = "N",
     .default_text = "5",
     .help = "runs of each point",
     .apply = set_whole_of<ScaleConfig, 1, kMaxRuns, &ScaleConfig::study, &Study::repeats>},
    {.long_name = "control",
     .metavar = "on|off",
     .default_text = "on",
     .help = "run each point without communication too, to tell what it costs",
     .apply = set_choice<ScaleConfig, kOnOff, &ScaleConfig::study, &Study::control>},
    {.long_name = "seed",
     .metavar = "N",
     .help = "draw the same order of runs again; it is printed",
     .apply = [](const Argument& given,
                 ScaleConfig& config) { return set_read(whole_number(given, {}), config.seed); }},
    {.long_name = "limit",
     .metavar = "TIME",
     .default_text = "0",
     .help = "end a run that takes longer, and go on with the next; 0: none",
     .apply = [](const Argument& given,
                 ScaleConfig& config) { return set_seconds(given, config.limit_s); }},
    {.long_name = "dry-run",
     .help = "print the commands that would run, in their order",
     .apply = set_flag<ScaleConfig, &ScaleConfig::dry_run>},
    {.long_name = "json",
     .help = "print one JSON object instead of tables",
     .apply = set_flag<ScaleConfig, &ScaleConfig::json>},
    kProgressRow<ScaleConfig>,
});

}  // namespace

std::span<const OptionRow> scale_options() { return kScaleRows; }

Result<std::string> study_file(const std::vector<std::string>& words) {
  const auto sorted = without_operands(words, Audience::scale);
  if (const auto refusal = study_words_refusal(sorted.options)) return Failure{*refusal};
  return one_operand(words, Audience::scale, "linerate scale reads one study");
}

std::optional<std::string> study_words_refusal(const std::vector<std::string>& words) {
  ScaleConfig unused;
  const auto given = read_options(words, Audience::scale, unused);
  if (!given) return given.sentence();
  return std::nullopt;
}

Result<ScaleConfig> parse_scale(const scale::StudyFile& file,
                                const std::vector<std::string>& words) {
  ScaleConfig config;
  config.study.layouts = file.layouts;
  auto all = file.words;
  const auto options = without_operands(words, Audience::scale).options;
  all.insert(all.end(), options.begin(), options.end());
  const auto given = read_options(all, Audience::scale, config);
  if (!given) return given.failure();
  if (const auto refusal = scale::study_refusal(config.study)) return Failure{*refusal};
  if (config.folder.empty() && !config.dry_run)
    return Failure{"-o/--output is required: the folder of the study, which is made."};
  return config;
}

}  // namespace linerate
