// The options of linerate plan.
#include "cli/checks.h"
#include "cli/option.h"
#include "cli/planner_config.h"
#include "cli/tokens.h"
#include "cli/values.h"
#include "plan/models.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>

namespace linerate {
namespace {

constexpr std::int64_t kMostPlannedRanks = 1 << 17, kMostSequences = 1 << 24;
constexpr std::int64_t kMostOfAModel = 1 << 24;
constexpr std::int64_t kMostRows = 1 << 20;

constexpr std::array<Choice<bool>, 2> kAttention{{{"fused", true}, {"unfused", false}}};

template <std::size_t ModelSizes::*kSize>
Refusal set_size(const Argument& given, PlannerConfig& config) {
  return set_whole(given, {1, kMostOfAModel}, config.sizes.*kSize);
}

constexpr auto kPlannerRows = std::to_array<OptionRow>({
    {.long_name = "model",
     .metavar = "NAME",
     .help = "the model: one of the trainers', or a published one such as gpt3-175b or llama3-8b",
     .required = true,
     .apply =
         [](const Argument& given, PlannerConfig& config) {
           return set_read(plan::model_named(given.text), config.model);
         }},
    {.long_name = "ranks",
     .metavar = "N",
     .help = "ranks, one for each GPU",
     .required = true,
     .apply = set_whole_of<PlannerConfig, 1, kMostPlannedRanks, &PlannerConfig::nranks>},
    {.long_name = "batch",
     .metavar = "N",
     .default_text = "8",
     .help = "sequences of a step, over all ranks",
     .apply = set_whole_of<PlannerConfig, 1, kMostSequences, &PlannerConfig::batch>},
    {.long_name = "layers",
     .metavar = "N",
     .help = "instead of the model's: its layers",
     .apply = set_size<&ModelSizes::layers>},
    {.long_name = "hidden",
     .metavar = "N",
     .help = "likewise: its width, and the MLP's with it",
     .apply = set_size<&ModelSizes::hidden>},
    {.long_name = "heads",
     .metavar = "N",
     .help = "likewise: heads of attention, and those of keys and values",
     .apply = set_size<&ModelSizes::heads>},
    {.long_name = "kv-heads",
     .metavar = "N",
     .help = "likewise: heads of keys and values",
     .apply = set_size<&ModelSizes::kv_heads>},
    {.long_name = "mlp",
     .metavar = "N",
     .help = "likewise: the width of the MLP",
     .apply = set_size<&ModelSizes::mlp>},
    {.long_name = "seq",
     .metavar = "N",
     .help = "likewise: tokens of a sequence",
     .apply = set_size<&ModelSizes::length>},
    {.long_name = "vocabulary",
     .metavar = "N",
     .help = "likewise: tokens that there are",
     .apply = set_size<&ModelSizes::vocabulary>},
    {.long_name = "memory",
     .metavar = "SIZE",
     .help = "memory of a rank; without it what its GPU has, or its share of what is free here",
     .apply = set_bytes<PlannerConfig, 1, &PlannerConfig::memory_bytes>},
    {.long_name = "measured",
     .metavar = "FILE",
     .help = "keep what is measured of this machine in FILE, and measure only what it lacks",
     .apply = set_file_of<PlannerConfig, &PlannerConfig::measured_file>},
    {.long_name = "emulate",
     .metavar = "FILE.yaml",
     .help =
         "plan for this machine's ranks on the network that FILE describes, as train_3d has it, "
         "and in which order the mesh is best laid over its nodes",
     .note = "See [emulated networks](emulation.md). Ranks are a power of two.",
     .apply = set_file_of<PlannerConfig, &PlannerConfig::emulate_file>},
    {.long_name = "most",
     .metavar = "N",
     .default_text = "10",
     .help = "layouts to print",
     .apply = set_whole_of<PlannerConfig, 1, kMostRows, &PlannerConfig::most>},
    {.long_name = "explain",
     .metavar = "LAYOUT",
     .help = "say of one layout what its step is made of, and what it holds: options of train_3d, "
             "such as '--tp 2 --zero 1'",
     .apply = set_text<PlannerConfig, &PlannerConfig::explained>},
    {.long_name = "attention",
     .metavar = "HOW",
     .default_text = "fused",
     .help =
         "of a platform's GPUs with --explain: fused, or unfused, with scores and dropout that go "
         "through memory",
     .note = "What they hold of it is not counted.",
     .apply = set_choice<PlannerConfig, kAttention, &PlannerConfig::fuses_attention>},
    {.long_name = "json",
     .help = "print one JSON object",
     .apply = set_flag<PlannerConfig, &PlannerConfig::json>},
});

}  // namespace

std::span<const OptionRow> planner_options() { return kPlannerRows; }

Result<PlannerConfig> parse_planner(const std::vector<std::string>& words) {
  PlannerConfig config;
  const auto given = read_options(words, Audience::planner, config);
  if (!given) return given.failure();
  if (const auto refusal = check_machine(config.machine, false)) return Failure{*refusal};
  config.model = sized(config.model, config.sizes);
  if (const auto refusal = trainers::model_refusal(config.model)) return Failure{*refusal};
  if (!config.measured_file.empty() && !config.machine.option.empty())
    return Failure{"--measured is of this machine: leave " + config.machine.option + " out."};
  if (!config.fuses_attention && (config.explained.empty() || config.machine.option.empty()))
    return Failure{"--attention unfused is for --explain of a --platform or --cluster: add them."};
  if (config.emulate_file.empty()) return config;
  if (!config.machine.option.empty())
    return Failure{"--emulate is for ranks of this machine: leave " + config.machine.option +
                   " out."};
  if (!std::has_single_bit(static_cast<unsigned>(config.nranks)))
    return Failure{fmt::format(
        "--emulate measures groups whose ranks differ in some bits: --ranks is {}, and a power of "
        "two is needed.",
        config.nranks)};
  return config;
}

}  // namespace linerate
