#include "trainers/engine/plan.h"

#include "base/text.h"
#include "model/training_bytes.h"
#include "trainers/data/sampler.h"
#include "trainers/parallel/injected.h"
#include "trainers/pipeline/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace linerate::trainers {
namespace {

int shards_of(const TrainConfig& config, int nranks) {
  if (config.stage == Stage::none) return 1;
  return config.shard_size > 0 ? config.shard_size : nranks;
}

// Gradients are those of the sum of token losses. Multiplied by it they are about as large as those
// of the mean, which PyTorch's fp16_compress_hook sends.
double fp16_factor(const TrainConfig& config) {
  const auto tokens = static_cast<double>(config.batch * config.model.length);
  return std::exp2(-std::ceil(std::log2(tokens)));
}

Mesh mesh_of(const TrainConfig& config, int nranks) {
  const auto shards = static_cast<std::size_t>(shards_of(config, nranks));
  return Mesh(
      {{std::string(kAxisNames[kShardAxis]), shards},
       {std::string(kAxisNames[kReplicateAxis]), static_cast<std::size_t>(nranks) / shards}});
}

// As the stage says along the shard axis; along the other one all hold the same.
StatePlacements placements_of(Stage stage) {
  const auto sharded = zero_stage(static_cast<int>(stage));
  const auto whole_gradients = sharded.optimizer ? partial() : replicate();
  return {.parameters = {sharded.parameters ? shard(0) : replicate(), replicate()},
          .gradients = {sharded.gradients ? shard(0) : whole_gradients, replicate()},
          .optimizer = {sharded.optimizer ? shard(0) : replicate(), replicate()}};
}

// The units of one of `count` chunks of a model: as many layers in each, with the embeddings or the
// head at the ends.
Range units_of_chunk(const ModelConfig& model, std::size_t chunk, std::size_t count) {
  const auto layers = model.layers / count;
  const auto first = chunk == 0 ? 0 : 1 + chunk * layers;
  const auto end = 1 + (chunk + 1) * layers + (chunk + 1 == count ? 1 : 0);
  return {first, end - first};
}

// What a backward in two halves cannot do.
std::optional<std::string> split_refusal(const TrainConfig& config) {
  const auto kinds = schedule_kinds();
  const auto kind = std::ranges::find(kinds, config.pp_schedule, &ScheduleKind::name);
  if (kind->inputs_ahead == nullptr) return std::nullopt;
  const auto* other = config.recompute != Recompute::none ? "--recompute"
                      : config.sequence_parallel          ? "--sequence-parallel"
                                                          : nullptr;
  if (other == nullptr) return std::nullopt;
  return fmt::format(
      "--schedule {} computes weights' gradients later, from what backward keeps until then, which "
      "{} does not: leave out either.",
      config.pp_schedule, other);
}

// What a schedule says of a pipeline that does not depend on its micro-batches, and how layers are
// cut.
std::optional<std::string> pipeline_refusal(const TrainConfig& config) {
  const auto chunks = config.pp * config.virtual_stages;
  const bool known = std::ranges::count(schedule_kinds(), config.pp_schedule, &ScheduleKind::name);
  if (known && config.pp == 1 && chunks == 1) return std::nullopt;
  if (known && config.pp == 1) return "--virtual-stages is of a pipeline: give --pp, too.";
  const auto schedule = pipeline_schedule(
      config.pp_schedule,
      {.stages = static_cast<int>(config.pp), .chunks = static_cast<int>(config.virtual_stages)});
  if (!schedule) return schedule.sentence();
  if (const auto refusal = split_refusal(config)) return refusal;
  if (config.model.layers % chunks == 0) return std::nullopt;
  const auto choices = numbers_that(config.model.layers, [&](std::size_t stages) {
    return config.model.layers % (stages * config.virtual_stages) == 0;
  });
  return fmt::format("--pp {}{} does not divide the {} layers of {}; choices: {}.", config.pp,
                     config.virtual_stages == 1
                         ? ""
                         : fmt::format(" with --virtual-stages {}", config.virtual_stages),
                     config.model.layers, config.model.name, choices.empty() ? "none" : choices);
}

// Where ranks of --tp split positions, of which --cp has cut off some. REQUIRES: it divides them.
std::optional<std::string> sequence_refusal(const TrainConfig& config) {
  if (!config.sequence_parallel) return std::nullopt;
  if (config.tp == 1)
    return "--sequence-parallel splits positions among the ranks of --tp: give 2 of them or more.";
  const auto positions = config.model.length / config.cp;
  if (positions % config.tp == 0) return std::nullopt;
  const auto choices = numbers_that(positions, [&](std::size_t tp) {
    return tp > 1 && positions % tp == 0 && !tensor_refusal(config.model, tp, config.deterministic);
  });
  return fmt::format(
      "--sequence-parallel: --tp {} does not divide the {} positions of a sequence{}; choices: {}.",
      config.tp, positions, config.cp > 1 ? " that a rank has" : "",
      choices.empty() ? "none" : choices);
}

ContextConfig context_of(const TrainConfig& config) {
  return {.nranks = config.cp, .method = config.cp_method, .deterministic = config.deterministic};
}

std::string divisors(std::size_t of) {
  return numbers_that(of, [&](std::size_t number) { return of % number == 0; });
}

}  // namespace

MeshShape mesh_shape_of(const TrainConfig& config, int nranks) {
  return {config.tp, config.cp,
          static_cast<std::size_t>(nranks) / (config.tp * config.cp * config.pp), config.pp};
}

Position position_of(const TrainConfig& config, int rank, int nranks) {
  return position_at(config, place_of(config.order, mesh_shape_of(config, nranks), rank), nranks);
}

Position position_at(const TrainConfig& config, int place, int nranks) {
  const auto tp = static_cast<int>(config.tp);
  const auto nstages = static_cast<int>(config.pp);
  const auto data_nranks = nranks / tp / nstages;
  const auto leaves = config.deterministic ? canonical_leaves(config.model) : config.tp;
  return {.place = place,
          .tensor = {.leaves = leaves,
                     .rank = static_cast<std::size_t>(place % tp),
                     .nranks = config.tp,
                     .in_order = config.deterministic,
                     .splits_rows = config.sequence_parallel && config.tp > 1},
          .sequence = sequence_share(config.model.length, context_of(config),
                                     static_cast<std::size_t>(place / tp) % config.cp),
          .data_rank = place / tp % data_nranks,
          .data_nranks = data_nranks,
          .stage = place / tp / data_nranks,
          .nstages = nstages};
}

ParameterTable table_of(const TrainConfig& config, const Position& position) {
  auto table = parameters_of(config.model, position.tensor);
  table.mesh = mesh_of(config, position.data_nranks);
  table.placements = placements_of(config.stage);
  return table;
}

std::optional<std::string> mesh_refusal(const TrainConfig& config, int nranks) {
  const auto ranks = static_cast<std::size_t>(nranks);
  if (ranks % config.tp != 0)
    return fmt::format("--tp {} does not divide {}; choices: {}.", config.tp,
                       counted(ranks, "rank"), divisors(ranks));
  if (const auto refusal = tensor_refusal(config.model, config.tp, config.deterministic))
    return refusal;
  if (const auto refusal = pipeline_refusal(config)) return refusal;
  const auto beside_tp = ranks / config.tp;
  if (beside_tp % config.pp != 0)
    return fmt::format(
        "--pp {} does not divide {}{}; choices: {}.", config.pp, counted(beside_tp, "rank"),
        config.tp > 1 ? fmt::format(" of each of --tp {}", config.tp) : "", divisors(beside_tp));
  const auto data = beside_tp / config.pp;
  const auto of_data = counted(data, config.tp * config.pp > 1 ? "data-parallel rank" : "rank");
  if (data % config.cp != 0)
    return fmt::format("--cp {} does not divide {}; choices: {}.", config.cp, of_data,
                       divisors(data));
  const TensorShare share{.leaves = config.tp, .nranks = config.tp};
  if (const auto refusal = context_refusal(model_of_share(config.model, share), context_of(config)))
    return refusal;
  if (const auto refusal = sequence_refusal(config)) return refusal;
  if (data % static_cast<std::size_t>(shards_of(config, static_cast<int>(data))) == 0)
    return order_refusal(config.order, mesh_shape_of(config, nranks));
  return fmt::format("--shard-size {} does not divide {}; choices: {}.", config.shard_size, of_data,
                     divisors(data));
}

Leaves GradientLeaves::of(std::size_t data_rank, std::uint64_t first, std::uint64_t count) const {
  const auto& split = position_.sequence.split;
  const auto rank = data_rank % split.ranks;
  const auto slots = split.ranks > 1 ? split.chunks_of_rank() : 1;
  const bool by_rank = injected(Bug::adds_chunks_by_rank);
  Leaves leaves;
  for (auto micro_batch = first; micro_batch < first + count; ++micro_batch)
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto chunk = by_rank ? rank * slots + slot : split.chunk_at(rank, slot).index;
      leaves.push_back(micro_batch * chunks() + chunk);
    }
  return leaves;
}

Leaves GradientLeaves::of_rank(std::size_t data_rank) const {
  const auto share = share_of(micro_batches_, static_cast<int>(data_rank) / position_.cp(),
                              position_.batch_nranks());
  return of(data_rank, share.first, share.count);
}

Leaves GradientLeaves::of_round(std::size_t data_rank, std::uint64_t round) const {
  const auto share = share_of(micro_batches_, static_cast<int>(data_rank) / position_.cp(),
                              position_.batch_nranks());
  return of(data_rank, share.first + round, round < share.count ? 1 : 0);
}

Leaves GradientLeaves::of_ranks(std::size_t first, std::size_t last) const {
  LeavesByRank by_rank(last);
  for (auto rank = first; rank < last; ++rank) by_rank[rank] = of_rank(rank);
  return leaves_of(by_rank, first, last);
}

MicroBatches micro_batches_of(const TrainConfig& config, int nranks) {
  const auto ranks = static_cast<std::uint64_t>(nranks);
  const auto share = (config.batch + ranks - 1) / ranks;
  const auto usual = config.deterministic || config.pp > 1 ? 1 : share;
  return {.batch = config.batch, .size = config.micro_batch > 0 ? config.micro_batch : usual};
}

GradientPlan plan_of(const TrainConfig& config, const ParameterTable& table,
                     const FlatLayout& layout, int rank) {
  const auto element = bytes_of(config.type);
  GradientPlan plan{.table = table,
                    .layout = layout,
                    .overlap = config.overlap,
                    .canonical = config.deterministic,
                    .pipelined = config.pp > 1,
                    .sync = config.sync,
                    .hook = {.hook = config.hook,
                             .topk_ratio = config.topk_ratio,
                             .fp16_factor = fp16_factor(config)}};
  auto caps = config.buckets;
  if (is_sharded(table.placements.parameters)) caps = {.first_bytes = 0, .bytes = 0};
  const bool evenly = config.deterministic || config.sync == Sync::reduce_scatter;
  plan.buckets = !plan.steps_a_shard() && !evenly
                     ? buckets_of_parameters(table, layout, caps, element)
                     : buckets_of_units(table, layout, caps, element);
  plan.owned = owned_of(table, layout, plan.buckets, static_cast<std::size_t>(rank));
  return plan;
}

ChunkPlan::ChunkPlan(const TrainConfig& config, const Position& position, const Range& units)
    : first_unit(units.offset),
      last(units.offset + units.count == config.model.layers + 2),
      table(units_of(table_of(config, position), units)),
      layout(flat_layout(table, table.mesh.nranks())),
      plan(plan_of(config, table, layout, position.data_rank)) {}

ChunkPlans chunks_of(const TrainConfig& config, const Position& position) {
  ChunkPlans chunks;
  for (std::size_t chunk = 0; chunk < config.virtual_stages; ++chunk)
    chunks.push_back(std::make_unique<ChunkPlan>(
        config, position,
        units_of_chunk(config.model, chunk * config.pp + static_cast<std::size_t>(position.stage),
                       config.pp * config.virtual_stages)));
  return chunks;
}

PipelineSchedule schedule_of(const TrainConfig& config, const Position& position) {
  const auto rounds = share_of(micro_batches_of(config, position.batch_nranks()).count(), 0,
                               position.batch_nranks());
  return *pipeline_schedule(config.pp > 1 ? config.pp_schedule : "naive",
                            {.stages = static_cast<int>(config.pp),
                             .chunks = static_cast<int>(config.virtual_stages),
                             .micro_batches = static_cast<int>(rounds.count)});
}

HeldMicroBatches held_of(const std::vector<Operation>& list, std::size_t chunk) {
  std::vector<Operation> own;
  std::size_t later = 0, most = 0;
  for (const auto& operation : list) {
    if (static_cast<std::size_t>(operation.chunk) != chunk) continue;
    own.push_back(operation);
    if (operation.action == Action::backward_input) most = std::max(most, ++later);
    if (operation.action == Action::backward_weight) --later;
  }
  return {static_cast<std::size_t>(held_activations(own).for_weights), most};
}

ModelOptions model_options_of(const TrainConfig& config, const Position& position,
                              const ChunkPlace& chunk, const HeldMicroBatches& held) {
  return {.sequences = micro_batches_of(config, position.batch_nranks()).size,
          .type = config.type,
          .recompute = config.recompute,
          .cut_classes = !position.tensor.whole(),
          .row_parts = position.tensor.row_parts(),
          .sequence = position.sequence,
          .context = config.cp_method,
          .ties_by_rows = config.deterministic,
          .first_layer = chunk.first_layer,
          .embeds = chunk.embeds,
          .heads = chunk.heads,
          .slots = held.slots,
          .later = held.later};
}

ModelConfig model_of_chunk(const TrainConfig& config, const Position& position,
                           const ChunkPlan& chunk) {
  auto model = model_of_share(config.model, position.tensor);
  model.layers = chunk.layers();
  model.length = position.sequence.split.local_length();
  return model;
}

}  // namespace linerate::trainers
