// The options of the trainers.
#include "cli/option.h"
#include "cli/tokens.h"
#include "cli/train_config.h"
#include "cli/train_file.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

using trainers::ContextMethod;
using trainers::Decay;
using trainers::Hook;
using trainers::Overlap;
using trainers::Recompute;
using trainers::Stage;
using trainers::Sync;
using trainers::TrainConfig;

constexpr std::array<Choice<DataType>, 4> kTypes{{{"float", DataType::float32},
                                                  {"bfloat16", DataType::bfloat16},
                                                  {"half", DataType::float16},
                                                  {"double", DataType::float64}}};
constexpr std::array<Choice<Recompute>, 3> kRecompute{
    {{"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}}};
constexpr std::array<Choice<Decay>, 3> kDecays{
    {{"cosine", Decay::cosine}, {"linear", Decay::linear}, {"constant", Decay::constant}}};
constexpr std::array<Choice<Overlap>, 3> kOverlap{
    {{"on", Overlap::on}, {"off", Overlap::off}, {"fake", Overlap::fake}}};

constexpr std::array<Choice<ContextMethod>, 2> kContextMethods{
    {{"ring", ContextMethod::ring}, {"ulysses", ContextMethod::ulysses}}};
constexpr std::array<Choice<Sync>, 4> kGradientSyncs{
    {{"all_reduce", Sync::all_reduce},
     {"reduce_scatter", Sync::reduce_scatter},
     {"tree", Sync::tree},
     {"parameter_server", Sync::parameter_server}}};
constexpr std::array<Choice<Hook>, 4> kHooks{
    {{"none", Hook::none}, {"fp16", Hook::fp16}, {"bf16", Hook::bf16}, {"topk", Hook::topk}}};

constexpr std::int64_t kMaxSteps = 1'000'000'000;
constexpr std::int64_t kMaxSequences = 1 << 24;
constexpr std::int64_t kMaxMegabytes = 1 << 20;
constexpr std::int64_t kMaxUnits = 1024;
constexpr std::int64_t kMaxParameters = 1'000'000'000'000'000;

// A number that is not negative, into a member of the configuration of the run.
template <auto... Path>
Refusal set_rate(const Argument& given, TrainOptions& options) {
  return set_read(number_within(given, {0, 1e6}),
                  member_of<&TrainOptions::train, Path...>(options));
}

// Below 1.
template <auto Member>
Refusal set_share(const Argument& given, TrainOptions& options) {
  if (auto refusal = set_read(number_within(given, {0, 1}), options.train.*Member)) return refusal;
  if (options.train.*Member < 1) return {};
  return fmt::format("{} is 0 or more, and below 1.", given.label);
}

Refusal set_accumulation(const Argument& given, TrainOptions& options) {
  options.accumulation = {.even = given.text == "even"};
  if (options.accumulation.even) return {};
  return set_whole(given, {0, kMaxSequences}, options.accumulation.steps);
}

Refusal set_topk_ratio(const Argument& given, TrainOptions& options) {
  if (auto refusal = set_read(number_within(given, {0, 1}), options.train.topk_ratio))
    return refusal;
  if (options.train.topk_ratio > 0) return {};
  return fmt::format("{} is above 0 and at most 1.", given.label);
}

Refusal set_model(const Argument& given, TrainOptions& options) {
  return set_read(trainers::model_named(given.text), options.train.model);
}

Refusal set_order(const Argument& given, TrainOptions& options) {
  const auto order = trainers::parse_order(given.text);
  if (!order) return fmt::format("{}: {}", given.label, order.sentence());
  options.train.order.axes = given.text;
  return {};
}

template <auto Member>
Refusal set_megabytes(const Argument& given, TrainOptions& options) {
  std::size_t megabytes = 0;
  if (auto refusal = set_whole(given, {0, kMaxMegabytes}, megabytes)) return refusal;
  options.train.buckets.*Member = megabytes << 20;
  return {};
}

constexpr auto kTrainingRows = std::to_array<OptionRow>({
    {.long_name = "config",
     .metavar = "FILE",
     .help = "take options from a file: YAML, DeepSpeed's ds_config.json, or flags of Megatron-LM",
     .note = "Options of the command line win. See [below](#options-of-other-trainers).",
     .apply = [](const Argument&, TrainOptions&) { return Refusal(); }},
    {.long_name = "dump-config",
     .help = "print as YAML what was understood, and train nothing",
     .apply = set_flag<TrainOptions, &TrainOptions::dump_config>},
    {.long_name = "model",
     .metavar = "NAME",
     .default_text = "nano",
     .help = "nano, micro, mini, d12, d24, d36, d48 or llama-mini",
     .apply = set_model},
    {.long_name = "data",
     .metavar = "NAME|FILE",
     .default_text = "markov",
     .help = "what is learnt: markov, copy, random, text, or the bytes of a file",
     .note = "markov has a known entropy, which the loss cannot go below; copy is learnt by "
             "attention alone; text is linerate's documentation.",
     .apply = set_text<TrainOptions, &TrainOptions::train, &TrainConfig::data,
                       &trainers::SourceOptions::data>},
    {.long_name = "steps",
     .metavar = "N",
     .default_text = "100",
     .help = "optimizer steps",
     .apply = set_whole_of<TrainOptions, 1, kMaxSteps, &TrainOptions::train, &TrainConfig::steps>},
    {.long_name = "batch",
     .metavar = "N",
     .default_text = "8",
     .help = "sequences of a step, over all ranks",
     .apply =
         set_whole_of<TrainOptions, 1, kMaxSequences, &TrainOptions::train, &TrainConfig::batch>},
    {.long_name = "micro-batch",
     .metavar = "N",
     .default_text = "0",
     .help = "sequences that a rank computes at once; 0: all of its own",
     .note = "Fewer than a rank has: gradients are accumulated. With --deterministic 0 means 1, "
             "because results depend on it.",
     .apply = set_whole_of<TrainOptions, 0, kMaxSequences, &TrainOptions::train,
                           &TrainConfig::micro_batch>},
    {.long_name = "gradient-accumulation-steps",
     .metavar = "N|even",
     .default_text = "0",
     .help = "micro-batches of a rank in a step; 0: as many as --batch and --micro-batch make; "
             "even: these, and the same number on all ranks",
     .note =
         "With --micro-batch alone, --batch is what that makes on all data-parallel ranks; with "
         "--batch alone, --micro-batch is.",
     .apply = set_accumulation},
    {.long_name = "seed",
     .metavar = "N",
     .default_text = "1",
     .help = "of initial values, the order of data, and dropout",
     .apply = [](const Argument& a, TrainOptions& o) { return set_whole(a, {}, o.train.seed); }},
    {.long_name = "precision",
     .metavar = "TYPE",
     .default_text = "float",
     .help = "of parameters, activations and gradients: float, bfloat16, half or double",
     .note = "The 16-bit types keep parameters in float32 beside them for the optimizer.",
     .apply = set_choice<TrainOptions, kTypes, &TrainOptions::train, &TrainConfig::type>},
    {.long_name = "dropout",
     .metavar = "P",
     .default_text = "0",
     .help = "share of elements that are dropped behind the embeddings, attention and the MLP",
     .note = "Which ones depends on the seed, the step, the layer and the position in the batch: "
             "not on the layout.",
     .apply =
         [](const Argument& a, TrainOptions& o) {
           return set_read(number_within(a, {0, 1}), o.dropout);
         }},
    {.long_name = "recompute",
     .metavar = "WHAT",
     .default_text = "none",
     .help = "what backward computes once more instead of keeping it: none, selective "
             "(attention) or full",
     .apply = set_choice<TrainOptions, kRecompute, &TrainOptions::train, &TrainConfig::recompute>},
    {.long_name = "lr",
     .metavar = "RATE",
     .default_text = "0.001",
     .help = "highest learning rate",
     .apply = set_rate<&TrainConfig::schedule, &trainers::Schedule::peak>},
    {.long_name = "min-lr",
     .metavar = "RATE",
     .default_text = "0",
     .help = "learning rate that it falls to",
     .apply = set_rate<&TrainConfig::schedule, &trainers::Schedule::floor>},
    {.long_name = "lr-decay-steps",
     .metavar = "N",
     .default_text = "0",
     .help = "step at which it has fallen so far; 0: the last one",
     .apply = set_whole_of<TrainOptions, 0, kMaxSteps, &TrainOptions::decay_steps>},
    {.long_name = "lr-decay",
     .metavar = "SHAPE",
     .default_text = "cosine",
     .help = "how it falls: cosine, linear or constant (it stays)",
     .apply = set_choice<TrainOptions, kDecays, &TrainOptions::train, &TrainConfig::schedule,
                         &trainers::Schedule::decay>},
    {.long_name = "warmup-steps",
     .metavar = "N",
     .default_text = "10",
     .help = "steps in which it rises from 0",
     .apply = set_whole_of<TrainOptions, 0, kMaxSteps, &TrainOptions::train, &TrainConfig::schedule,
                           &trainers::Schedule::warmup_steps>},
    {.long_name = "beta1",
     .metavar = "SHARE",
     .default_text = "0.9",
     .help = "of AdamW: what is kept of the mean of gradients in a step",
     .apply = set_share<&TrainConfig::beta1>},
    {.long_name = "beta2",
     .metavar = "SHARE",
     .default_text = "0.95",
     .help = "the same of the mean of their squares",
     .apply = set_share<&TrainConfig::beta2>},
    {.long_name = "weight-decay",
     .metavar = "RATE",
     .default_text = "0.1",
     .help = "of AdamW, on matrices",
     .apply = set_rate<&TrainConfig::weight_decay>},
    {.long_name = "clip",
     .metavar = "NORM",
     .default_text = "1",
     .help = "gradients of a larger global norm are scaled to it; 0: off",
     .apply = set_rate<&TrainConfig::clip>},
});

constexpr auto kParallelRows = std::to_array<OptionRow>({
    {.long_name = "zero",
     .metavar = "STAGE",
     .default_text = "3",
     .help = "train_fsdp, train_3d: what is sharded: 1 the optimizer, 2 and gradients, 3 and "
             "parameters; 0 nothing",
     .note = "train_ddp is stage 0, and so is train_3d unless it is told.",
     .apply = set_whole_of<TrainOptions, 0, 3, &TrainOptions::zero>},
    {.long_name = "tp",
     .metavar = "N",
     .default_text = "1",
     .help = "train_3d: N neighbouring ranks share the matrices of each layer: tensor parallelism",
     .note =
         "Each has some of the heads, of the MLP's columns and of the vocabulary. N divides the "
         "heads and the number of ranks, and divides the key and value heads or is a multiple of "
         "them; other ranks are data-parallel.",
     .apply = set_whole_of<TrainOptions, 1, kMaxRanks, &TrainOptions::train, &TrainConfig::tp>},
    {.long_name = "pp",
     .metavar = "N",
     .default_text = "1",
     .help = "train_3d: N stages, of as many layers each, pass micro-batches on: pipeline "
             "parallelism",
     .note = "N divides the layers, and the number of ranks. Stages are far apart: ranks of one "
             "stage are neighbours. A micro-batch is one sequence unless --micro-batch says more.",
     .apply = set_whole_of<TrainOptions, 1, kMaxRanks, &TrainOptions::train, &TrainConfig::pp>},
    {.long_name = "schedule",
     .metavar = "NAME",
     .default_text = "1f1b",
     .help = "order in which a stage goes forward and backward: naive, gpipe, 1f1b, interleaved or "
             "zb-h1",
     .belongs_to = "pp",
     .apply = set_text<TrainOptions, &TrainOptions::train, &TrainConfig::pp_schedule>},
    {.long_name = "virtual-stages",
     .metavar = "N",
     .default_text = "1",
     .help = "chunks of layers that each stage has, of --schedule interleaved",
     .belongs_to = "pp",
     .apply = set_whole_of<TrainOptions, 1, kMaxUnits, &TrainOptions::train,
                           &TrainConfig::virtual_stages>},
    {.long_name = "sequence-parallel",
     .help = "the ranks of --tp split the positions of what they do not cut",
     .note =
         "Norms, dropout and residuals: their memory is divided by N of --tp, and each all_reduce "
         "becomes a reduce_scatter and an all_gather. N divides the positions of a sequence.",
     .belongs_to = "tp",
     .apply = set_flag<TrainOptions, &TrainOptions::train, &TrainConfig::sequence_parallel>},
    {.long_name = "cp",
     .metavar = "N",
     .default_text = "1",
     .help = "train_3d: N ranks share each sequence: context parallelism",
     .note = "Each has two chunks of it, of which the causal mask hides as much for all, or one "
             "where twice N does not divide the sequence. N divides the positions of a sequence "
             "and the ranks beside --tp.",
     .apply = set_whole_of<TrainOptions, 1, kMaxRanks, &TrainOptions::train, &TrainConfig::cp>},
    {.long_name = "cp-method",
     .metavar = "HOW",
     .default_text = "ring",
     .help = "ring: keys and values go around beside compute; ulysses: positions are exchanged for "
             "heads",
     .note = "With ulysses N divides the heads, and the key and value heads, of a rank.",
     .belongs_to = "cp",
     .apply =
         set_choice<TrainOptions, kContextMethods, &TrainOptions::train, &TrainConfig::cp_method>},
    {.long_name = "order",
     .metavar = "AXES",
     .default_text = trainers::kUsualOrder,
     .help = "train_3d: the axes of the mesh of ranks, neighbours first",
     .note = "As Megatron-LM's order. Ranks along the first axis are neighbours, those along the "
             "last one far apart. Axes of one rank may be left out.",
     .apply = set_order},
    {.long_name = "plan",
     .metavar = "FILE",
     .help = "train_3d: take the layout that [linerate plan](planning.md) predicts to be the "
             "fastest on the machine of its --measured FILE",
     .note = "Options of a layout are left out then. All processes read the same FILE.",
     .apply = set_file_of<TrainOptions, &TrainOptions::plan_file>},
    {.long_name = "rank-order",
     .metavar = "FILE",
     .help = "train_3d: number the ranks as this placement does: JSON of [linerate topo "
             "place](placement.md#the-mesh)",
     .note = "Its --tp and --pp are this run's, and its dp is all that is left, --cp fastest.",
     .apply = set_file_of<TrainOptions, &TrainOptions::rank_order_file>},
    {.long_name = "shard-size",
     .metavar = "N",
     .default_text = "0",
     .help = "groups of N ranks hold a whole state among them; 0: all ranks are one group",
     .note = "Hybrid sharding, PyTorch's HYBRID_SHARD: N consecutive ranks share parameters, "
             "gradients and the optimizer as --zero says, and ranks that hold the same shard add "
             "up its gradients by all_reduce. N divides the number of ranks.",
     .apply =
         set_whole_of<TrainOptions, 0, kMaxRanks, &TrainOptions::train, &TrainConfig::shard_size>},
    {.long_name = "bucket-cap-mb",
     .metavar = "N",
     .default_text = "25",
     .help = "gradients are reduced in buckets of N MiB",
     .apply = set_megabytes<&trainers::BucketCaps::bytes>},
    {.long_name = "first-bucket-mb",
     .metavar = "N",
     .default_text = "1",
     .help = "the first bucket's size, so that communication begins early",
     .apply = set_megabytes<&trainers::BucketCaps::first_bytes>},
    {.long_name = "overlap",
     .metavar = "HOW",
     .default_text = "on",
     .help = "communication beside backward: on, off, or fake (begun after backward)",
     .note = "fake is what a loop over buckets after backward does: it hides nothing.",
     .apply = set_choice<TrainOptions, kOverlap, &TrainOptions::train, &TrainConfig::overlap>},
    {.long_name = "sync",
     .metavar = "HOW",
     .default_text = "all_reduce",
     .help = "how train_ddp adds up a bucket: all_reduce, reduce_scatter (and all_gather), tree or "
             "parameter_server",
     .note = "all_reduce is the backend's own; tree sends sums up a binary tree of ranks and the "
             "result down; parameter_server has rank 0 add up what all send it, and send it back.",
     .apply = set_choice<TrainOptions, kGradientSyncs, &TrainOptions::train, &TrainConfig::sync>},
    {.long_name = "hook",
     .metavar = "NAME",
     .default_text = "none",
     .help = "what train_ddp sends of a bucket: none (all of it), fp16, bf16 or topk",
     .note = "As DDP's communication hooks. fp16 and bf16 round to 16 bits; topk sends the largest "
             "elements of each rank, and adds what it did not send to the next step's gradient.",
     .apply = set_choice<TrainOptions, kHooks, &TrainOptions::train, &TrainConfig::hook>},
    {.long_name = "topk-ratio",
     .metavar = "SHARE",
     .default_text = "0.01",
     .help = "of a bucket's elements, that --hook topk sends",
     .belongs_to = "hook",
     .apply = set_topk_ratio},
    {.long_name = "prefetch",
     .metavar = "N",
     .default_text = "1",
     .help = "stage 3: units that are gathered ahead of their use",
     .apply = set_whole_of<TrainOptions, 0, kMaxUnits, &TrainOptions::train, &TrainConfig::gather,
                           &trainers::GatherPlan::prefetch>},
    {.long_name = "reshard-after-forward",
     .metavar = "0|1",
     .default_text = "1",
     .help = "stage 3: free a unit's parameters between forward and backward",
     .note = "0 with --pp: they stay until the step's last backward.",
     .apply = set_choice<TrainOptions, kSwitch, &TrainOptions::train, &TrainConfig::gather,
                         &trainers::GatherPlan::reshard_after_forward>},
    {.long_name = "max-live-parameters",
     .metavar = "N",
     .default_text = "0",
     .help = "stage 3: gather ahead only while no more than N parameters are gathered; 0: no limit",
     .note = "The unit in use, the embeddings and the final norm are gathered all the same. "
             "DeepSpeed has it as stage3_max_live_parameters.",
     .apply = set_whole_of<TrainOptions, 0, kMaxParameters, &TrainOptions::train,
                           &TrainConfig::gather, &trainers::GatherPlan::max_live_parameters>},
    {.long_name = "offload-optimizer",
     .metavar = "DIR",
     .help = "keep moments, and masters of 16-bit parameters, in a file for each rank in this "
             "folder",
     .note = "The file is mapped and has no name: nothing is left of it, however the run ends.",
     .apply = set_file_of<TrainOptions, &TrainOptions::train, &TrainConfig::offload_folder>},
    {.long_name = "threads",
     .metavar = "N",
     .default_text = "1",
     .help = "threads of OpenBLAS for the matrix products of each process",
     .apply = set_whole_of<TrainOptions, 1, kMaxRanks, &TrainOptions::threads>},
    {.long_name = "deterministic",
     .help = "the same bits for any number of ranks, stage and backend",
     .note = "Gradients are added up over a fixed tree of parts of micro-batches.",
     .apply = set_flag<TrainOptions, &TrainOptions::train, &TrainConfig::deterministic>},
    {.long_name = "assert-accounting",
     .help = "fail where a rank sent or holds other bytes than the closed forms say",
     .apply = set_flag<TrainOptions, &TrainOptions::train, &TrainConfig::assert_accounting>},
});

std::string_view text_of(Hook hook) {
  return std::ranges::find(kHooks, hook, &Choice<Hook>::value)->text;
}

// What only trainers that shard nothing can do, and what contradicts itself.
Refusal check_sync(const TrainConfig& train) {
  if (train.stage != Stage::none && train.sync != Sync::all_reduce)
    return "--sync is of train_ddp: where state is sharded, gradients are reduce-scattered.";
  if (train.hook == Hook::none) return {};
  const auto hook = fmt::format("--hook {}", text_of(train.hook));
  if (train.stage != Stage::none)
    return hook + " is of train_ddp: run that, or leave the hook out.";
  if (train.deterministic)
    return hook + " loses bits of the gradients, which --deterministic keeps: leave out either.";
  if (train.hook == Hook::topk && train.tp > 1)
    return "--hook topk would send other elements of what --tp's ranks hold copies of on each of "
           "them: leave out either.";
  if (train.hook == Hook::topk && train.sync != Sync::all_reduce)
    return "--hook topk gathers what each rank sends, and adds nothing up on the way: leave --sync "
           "out.";
  if (train.hook != Hook::topk && bytes_of(train.type) <= 2)
    return fmt::format(
        "{} sends 16 bits of an element, and gradients of --precision {} have 16: "
        "leave the hook out.",
        hook, name_of(train.type));
  return {};
}

Refusal check_train(const TrainOptions& options, TrainProgram program) {
  const auto& train = options.train;
  if (program == TrainProgram::ddp && train.stage != Stage::none)
    return "train_ddp shards nothing: leave --zero out, or run train_fsdp.";
  if (program != TrainProgram::three_d && train.tp * train.cp * train.pp > 1)
    return fmt::format("{} is data-parallel: leave --{} out, or run train_3d.", name_of(program),
                       train.tp > 1   ? "tp"
                       : train.cp > 1 ? "cp"
                                      : "pp");
  if (!options.rank_order_file.empty() && train.order.axes != trainers::kUsualOrder)
    return "--order and --rank-order both say how ranks are numbered: give one of them.";
  if (train.stage == Stage::none && train.shard_size > 0)
    return "--shard-size needs something that is sharded: run train_fsdp or train_3d with --zero "
           "1, 2 or 3.";
  if (auto refusal = check_sync(train)) return refusal;
  if (train.gather.max_live_parameters > 0 && !train.gather.reshard_after_forward)
    return "--max-live-parameters needs units that are freed after forward: leave "
           "--reshard-after-forward 0 out.";
  if (auto refusal = check_checkpoints(options)) return refusal;
  const bool saves = !options.checkpoints.folder.empty() || !options.checkpoints.resume.empty();
  if (options.no_communication && (saves || train.deterministic))
    return "--no-communication trains nothing: leave --checkpoint, --resume and --deterministic "
           "out.";
  if (auto refusal = trainers::model_refusal(train.model)) return refusal;
  return {};
}

// What the plan says is not said beside it.
Refusal check_plan(std::span<const Token> given, TrainProgram program) {
  if (!is_given(given, "plan")) return {};
  if (program != TrainProgram::three_d)
    return fmt::format("--plan takes any layout: run train_3d, not {}.", name_of(program));
  for (const auto* option : {"tp", "sequence-parallel", "cp", "cp-method", "pp", "schedule",
                             "virtual-stages", "zero", "shard-size", "micro-batch", "recompute"})
    if (is_given(given, option))
      return fmt::format("--plan chooses --{}: leave either out.", option);
  return {};
}

}  // namespace

std::span<const OptionRow> training_options() { return kTrainingRows; }
std::span<const OptionRow> parallel_options() { return kParallelRows; }

std::string_view name_of(TrainProgram program) {
  constexpr std::string_view kNames[] = {"train_ddp", "train_fsdp", "train_3d"};
  return kNames[static_cast<std::size_t>(program)];
}

Result<TrainOptions> parse_train(const std::vector<std::string>& words, TrainProgram program,
                                 const std::vector<TrainFile>& files) {
  TrainOptions options;
  auto translated = train_words(words, files, program);
  if (!translated) return translated.failure();
  const auto given = read_options(translated->words, Audience::train, options);
  if (!given) return given.failure();
  if (const auto refusal = check_plan(*given, program)) return Failure{*refusal};
  if (const auto refusal = check_traces(options, is_given(*given, "trace-steps")))
    return Failure{*refusal};
  options.without_effect = translated->without_effect;
  auto& train = options.train;
  const bool stage_given = is_given(*given, "zero");
  train.stage = static_cast<Stage>(program == TrainProgram::fsdp || stage_given ? options.zero : 0);
  options.understood = options_yaml(*given, static_cast<int>(train.stage));
  train.model = sized(train.model, options.sizes);
  train.model.dropout = options.dropout;
  train.schedule.steps = options.decay_steps > 0 ? options.decay_steps : train.steps;
  options.batch_given = is_given(*given, "batch");
  train.data.vocabulary = train.model.vocabulary;
  train.data.length = train.model.length;
  train.data.seed = train.seed;
  if (const auto refusal = check_train(options, program)) return Failure{*refusal};
  return options;
}

}  // namespace linerate
