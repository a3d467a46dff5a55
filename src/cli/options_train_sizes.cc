// The options of a model's sizes, and what sizes and batch come to.
#include "base/text.h"
#include "cli/option.h"
#include "cli/train_config.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kMaxModelSize = 1 << 24;
constexpr std::int64_t kMaxLayers = 1024;
constexpr std::string_view kAsModel = "0";

constexpr std::array<Choice<std::optional<bool>>, 3> kStyles{
    {{"model", std::nullopt}, {"gpt2", false}, {"llama", true}}};

template <std::size_t ModelSizes::*Size, std::int64_t kMost = kMaxModelSize>
constexpr AnySetter size_setter() {
  return Setter<TrainOptions>(set_whole_of<TrainOptions, 0, kMost, &TrainOptions::sizes, Size>);
}

constexpr auto kModelSizeRows = std::to_array<OptionRow>({
    {.long_name = "style",
     .metavar = "KIND",
     .default_text = "model",
     .help = "gpt2 (LayerNorm, GELU, learned positions) or llama (RMSNorm, SwiGLU, rotary "
             "positions); model: as --model has it",
     .note = "The options of this group change sizes of --model, which then is called custom. 0 "
             "leaves a size as it is.",
     .apply = set_choice<TrainOptions, kStyles, &TrainOptions::sizes, &ModelSizes::llama>},
    {.long_name = "layers",
     .metavar = "N",
     .default_text = kAsModel,
     .help = "blocks of attention and MLP",
     .apply = size_setter<&ModelSizes::layers, kMaxLayers>()},
    {.long_name = "hidden",
     .metavar = "N",
     .default_text = kAsModel,
     .help = "elements of a position",
     .apply = size_setter<&ModelSizes::hidden>()},
    {.long_name = "heads",
     .metavar = "N",
     .default_text = kAsModel,
     .help = "of attention; they divide hidden",
     .apply = size_setter<&ModelSizes::heads>()},
    {.long_name = "kv-heads",
     .metavar = "N",
     .default_text = kAsModel,
     .help = "of keys and values; where --heads is given and this is not, as many",
     .apply = size_setter<&ModelSizes::kv_heads>()},
    {.long_name = "mlp",
     .metavar = "N",
     .default_text = kAsModel,
     .help = "width of the MLP; where --hidden is given and this is not, 4 times that (gpt2), or 8 "
             "thirds in multiples of 64, one at least (llama)",
     .apply = size_setter<&ModelSizes::mlp>()},
    {.long_name = "seq",
     .metavar = "N",
     .default_text = kAsModel,
     .help = "tokens of a sequence",
     .apply = size_setter<&ModelSizes::length>()},
    {.long_name = "vocabulary",
     .metavar = "N",
     .default_text = kAsModel,
     .help = "tokens that there are",
     .apply = size_setter<&ModelSizes::vocabulary>()},
});

void take(std::size_t given, std::size_t& size) {
  if (given > 0) size = given;
}

}  // namespace

std::span<const OptionRow> model_size_options() { return kModelSizeRows; }

trainers::ModelConfig sized(trainers::ModelConfig model, const ModelSizes& sizes) {
  constexpr std::size_t kMlpStep = 64;  // Megatron-LM's, of SwiGLU
  const auto before = model;
  model.llama = sizes.llama.value_or(model.llama);
  take(sizes.layers, model.layers);
  take(sizes.hidden, model.hidden);
  take(sizes.heads, model.heads);
  take(sizes.heads, model.kv_heads);
  take(sizes.kv_heads, model.kv_heads);
  if (sizes.hidden > 0)
    model.mlp = model.llama ? std::max(kMlpStep, model.hidden * 8 / 3 / kMlpStep * kMlpStep)
                            : 4 * model.hidden;
  take(sizes.mlp, model.mlp);
  take(sizes.length, model.length);
  take(sizes.vocabulary, model.vocabulary);
  const auto all = [](const trainers::ModelConfig& of) {
    return std::array{of.llama ? std::size_t{1} : 0,
                      of.layers,
                      of.hidden,
                      of.heads,
                      of.kv_heads,
                      of.mlp,
                      of.length,
                      of.vocabulary};
  };
  if (all(model) != all(before)) model.name = "custom";
  return model;
}

Refusal settle_batch(TrainOptions& options, int nranks) {
  auto& train = options.train;
  const auto& accumulated = options.accumulation;
  if (!accumulated.asked()) return {};
  const auto shared = train.tp * train.cp * train.pp;
  if (nranks == 0)
    return "--gradient-accumulation-steps needs the number of ranks, which the launcher does not "
           "tell: give --batch and --micro-batch instead.";
  const auto data = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(nranks) / shared);
  const auto ranks = counted(data, "data-parallel rank");
  if (accumulated.even || train.micro_batch == 0) {
    const auto parts =
        data * std::max<std::uint64_t>(1, accumulated.even ? train.micro_batch : accumulated.steps);
    if (train.batch % parts != 0)
      return fmt::format("--batch {} is not divided by {} of {} on {}.", train.batch,
                         accumulated.even ? "--micro-batch" : "--gradient-accumulation-steps",
                         parts / data, ranks);
    if (!accumulated.even) train.micro_batch = train.batch / parts;
    return {};
  }
  const auto all = train.micro_batch * accumulated.steps * data;
  if (options.batch_given && train.batch != all)
    return fmt::format(
        "--batch {} is not --micro-batch {} x --gradient-accumulation-steps {} x {}, which is {}: "
        "leave one of them out.",
        train.batch, train.micro_batch, accumulated.steps, ranks, all);
  train.batch = all;
  return {};
}

}  // namespace linerate
