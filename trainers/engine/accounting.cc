#include "trainers/engine/accounting.h"

#include "model/tensor_parallel.h"
#include "trainers/data/sampler.h"
#include "trainers/engine/plan.h"
#include "trainers/engine/stage_links.h"
#include "trainers/engine/sync.h"
#include "trainers/optimizer/exact_sum.h"
#include "trainers/parallel/context.h"
#include "trainers/parallel/tree_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

TrainingTypes types_of(DataType type) {
  const auto bytes = static_cast<std::uint64_t>(bytes_of(type));
  const auto wide = static_cast<std::uint64_t>(bytes_of(state_type_of(type)));
  return {.parameter = bytes,
          .gradient = bytes,
          .master = bytes < wide ? wide : 0,
          .moments = 2 * wide};
}

// Whole units, as they are padded.
std::vector<TrainingPart> units_of(const GradientPlan& plan) {
  std::vector<TrainingPart> parts;
  for (std::size_t unit = 0; unit < plan.table.units(); ++unit)
    parts.push_back({.count = plan.layout.padded(unit)});
  return parts;
}

// Buckets, the last one first; where parameters are sharded they are the units.
std::vector<TrainingPart> parts_of(const TrainConfig& config, const GradientPlan& plan) {
  std::vector<TrainingPart> parts;
  for (const auto& bucket : plan.buckets) {
    const bool end = bucket.begin == 0 || parts.empty();  // the first and the last unit
    const bool stays = (end && !plan.pipelined) || !config.gather.reshard_after_forward;
    parts.push_back({.count = bucket.count(), .gathers = stays ? std::uint64_t{1} : 2});
  }
  return parts;
}

// Where a rank stands in the mesh, and what it has of a step's work.
struct Place {
  std::uint64_t shards = 1, replicas = 1;  // as the closed forms have them
  std::uint64_t rounds = 1;
  MicroBatches micro_batches{};  // of the global batch
  Share own{};                   // micro-batches of this rank
  // Leaves of the tree over gradients: of all, of this rank, of the ranks that share state with it,
  // and of those below it in a tree.
  std::size_t leaves = 1;
  Leaves of_rank{}, of_group{}, of_below{};
};

Place place_of(const TrainConfig& config, const GradientPlan& plan, const Position& position) {
  const int nranks = position.batch_nranks();
  const auto micro_batches = micro_batches_of(config, nranks);
  const GradientLeaves leaves(micro_batches, position);
  const auto rank = static_cast<std::size_t>(position.data_rank);
  Place place{.shards = static_cast<std::uint64_t>(position.data_nranks),
              .rounds = share_of(micro_batches.count(), 0, nranks).count,
              .micro_batches = micro_batches,
              .own = share_of(micro_batches.count(), position.batch_rank(), nranks),
              .leaves = leaves.count(),
              .of_rank = leaves.of_rank(rank)};
  if (const auto tree = place_in(config.sync, position.data_rank, position.data_nranks))
    place.of_below = leaves.of_ranks(static_cast<std::size_t>(tree->first),
                                     static_cast<std::size_t>(tree->last));
  if (!plan.steps_a_shard()) return place;
  const auto& mesh = plan.table.mesh;
  place.shards = mesh.axes()[kShardAxis].size;
  place.replicas = mesh.axes()[kReplicateAxis].size;
  const auto first = mesh.group(rank, kShardAxis);
  place.of_group = leaves.of_ranks(first, first + place.shards);
  return place;
}

// Of canonical mode: nodes of the tree over micro-batches instead of one sum.
void set_partial_sums(TrainingLayout& layout, const Place& place) {
  const auto nodes = [&](const Leaves& some) { return nodes_of(some, place.leaves).size(); };
  if (layout.sharded.gradients)
    layout.micro_batches = 1, layout.partial_sums = place.of_rank.size();  // of all rounds
  else
    layout.partial_sums = nodes(layout.tree != nullptr ? place.of_below : place.of_rank);
  layout.replica_partial_sums = nodes(place.of_group);
}

// The purposes of the calls of both phases; the same for both where one call makes them.
struct Purposes {
  const char *sums, *results;
};

Purposes purposes_of(const TrainConfig& config, bool whole, bool of_replicas) {
  if (whole && config.sync >= Sync::tree) return {"gradient reduce", "gradient broadcast"};
  if (config.deterministic) return {"gradient exchange", "gradient all_gather"};
  if (whole ? config.sync == Sync::all_reduce : of_replicas)
    return {"gradient all_reduce", "gradient all_reduce"};
  return {"gradient reduce_scatter", "gradient all_gather"};
}

void add_gradients(SentBytes& sent, const TrainConfig& config, const TrainingLayout& layout) {
  const auto bytes = training_wire_bytes(layout);
  const bool whole = !layout.sharded.optimizer;
  const std::string replicas(kAxisNames[kReplicateAxis]);
  const auto main = whole ? replicas : std::string(kAxisNames[kShardAxis]);
  const auto own = purposes_of(config, whole, false), across = purposes_of(config, whole, true);
  sent[{main, own.sums}] += bytes.gradient_sums;
  sent[{main, own.results}] += bytes.gradient_results;
  sent[{replicas, across.sums}] += bytes.replica_sums;
  sent[{replicas, across.results}] += bytes.replica_results;
}

// All ranks get each one's message.
void add_top_k(SentBytes& sent, const TrainConfig& config, const TrainingLayout& layout) {
  auto& bytes = sent[{std::string(kAxisNames[kReplicateAxis]), "gradient all_gather"}];
  for (const auto& part : layout.parts)
    bytes += (layout.shards - 1) *
             top_k_bytes(top_k_count(part.count, config.topk_ratio), layout.types.gradient);
}

bool is_last(const Position& position) { return position.stage + 1 == position.nstages; }

// Losses and hits of all micro-batches by `leaves`, and the gradient's norm.
void add_scalars(SentBytes& sent, const TrainConfig& config, const GradientPlan& plan,
                 const Place& place, std::size_t leaves) {
  const std::string main(kAxisNames[main_axis(plan.table)]);
  constexpr std::uint64_t kWord = 8;
  const auto losses = 2 * place.micro_batches.count() * leaves;
  sent[{main, "loss"}] += kWord * all_reduce_sends(losses, place.shards);
  if (!plan.steps_a_shard()) return;
  const std::uint64_t words = config.deterministic ? ExactSum::kWords : 1;
  sent[{main, "norm"}] += kWord * all_reduce_sends(words, place.shards);
  sent[{std::string(kAxisNames[kReplicateAxis]), "loss"}] +=
      kWord * all_reduce_sends(losses, place.replicas);
}

// Of a rank's micro-batches what tensor parallelism adds up and gathers.
void add_tensor_sums(SentBytes& sent, const TrainConfig& config, const Place& place,
                     const Position& position) {
  const auto& share = position.tensor;
  if (share.nranks == 1) return;
  const auto& model = config.model;
  const auto terms = nodes_of(share.first(), share.first() + share.own(), share.leaves).size();
  TensorLayout layout{.nranks = share.nranks,
                      .hidden = model.hidden,
                      .layers = model.layers / config.pp,
                      .embeds = position.stage == 0,
                      .heads = is_last(position),
                      .repeats_forward = config.recompute == Recompute::full,
                      .splits_rows = share.splits_rows,
                      .norm_weights = model.llama ? std::uint64_t{1} : 2,
                      .element = bytes_of(config.type),
                      .copies = share.copies(model.kv_heads),
                      .keys_and_values = 2 * model_of_share(model, share).kv_hidden(),
                      .terms = config.deterministic ? terms : 0};
  const std::string axis(kTensorAxisName);
  for (auto i = place.own.first; i < place.own.first + place.own.count; ++i) {
    layout.rows = place.micro_batches.sequences(i) * model.length / config.cp;
    const auto bytes = tensor_bytes(layout);
    for (const auto& [what, count] : {std::pair(TensorSum::embedding, bytes.embedding),
                                      {TensorSum::forward, bytes.forward},
                                      {TensorSum::backward, bytes.backward},
                                      {TensorSum::cross_entropy, bytes.cross_entropy},
                                      {TensorSum::norm_weight, bytes.norm_weight},
                                      {TensorSum::keys_and_values, bytes.keys_and_values}})
      sent[{axis, std::string(name_of(what))}] += count;
    sent[{axis, std::string(kRowGather)}] += bytes.rows;
  }
  const std::uint64_t words = config.deterministic ? ExactSum::kWords : 1;
  sent[{axis, "norm"}] += sizeof(double) * all_reduce_sends(words, share.nranks);
}

// Of a rank's micro-batches what context parallelism exchanges in each layer.
void add_attention(SentBytes& sent, const TrainConfig& config, const Place& place,
                   const Position& position) {
  const auto& share = position.sequence;
  if (share.split.ranks == 1) return;
  const auto model = model_of_share(config.model, position.tensor);
  const auto layers = model.layers / config.pp;
  const std::uint64_t again = config.recompute == Recompute::none ? 0 : 1;
  const std::string axis(kContextAxisName);
  for (auto i = place.own.first; i < place.own.first + place.own.count; ++i) {
    const ContextLayout layout{.split = share.split,
                               .exchanges_heads = config.cp_method == ContextMethod::ulysses,
                               .leaves = share.leaves > 1 ? share.leaves : 0,
                               .batch = place.micro_batches.sequences(i),
                               .heads = model.heads,
                               .kv_heads = model.kv_heads,
                               .head = model.head(),
                               .element = bytes_of(config.type)};
    const auto bytes = context_bytes(layout, share.rank);
    sent[{axis, std::string(kAttentionForward)}] += (1 + again) * layers * bytes.forward;
    sent[{axis, std::string(kAttentionBackward)}] += layers * bytes.backward;
  }
}

// Of a rank's micro-batches each chunk's result and its input's gradient, but at the model's ends;
// the tied table once, and its gradient once or, in canonical mode, of each micro-batch.
void add_messages(Account& account, const TrainConfig& config, const Place& place,
                  const std::vector<const GradientPlan*>& plans, const Position& position) {
  if (position.nstages == 1) return;
  const auto element = static_cast<std::uint64_t>(bytes_of(config.type));
  const std::string axis(kPipelineAxisName);
  const auto add = [&](std::string_view purpose, std::uint64_t bytes) {
    account.sent[{axis, std::string(purpose)}] += bytes;
  };
  const std::uint64_t first = position.stage == 0 ? 1 : 0, last = is_last(position) ? 1 : 0;
  std::uint64_t head_rows = 0;  // of all micro-batches
  for (auto i = place.own.first; i < place.own.first + place.own.count; ++i) {
    const auto rows = place.micro_batches.sequences(i) * config.model.length / config.cp;
    const auto bytes = rows / position.tensor.row_parts() * config.model.hidden * element;
    head_rows += rows;
    add(kActivations, (config.virtual_stages - last) * bytes);
    add(kSlopes, (config.virtual_stages - first) * bytes);
  }
  if (first > 0) add(kTiedTable, plans.front()->table.parameters.front().count() * element);
  if (last > 0) {
    const auto& tied = *plans.back()->table.tied;
    const auto table = tied.count() * element;
    add(kTiedGradient, config.deterministic
                           ? head_rows * (tied.shape[0] + config.model.hidden) * element
                           : table * std::min<std::uint64_t>(place.own.count, 1));
    account.state.parameters += table;
  }
  constexpr std::uint64_t kWord = 8;
  const auto stages = static_cast<std::uint64_t>(position.nstages);
  const auto losses = 2 * place.micro_batches.count() * position.sequence.leaves;
  add("loss", kWord * all_reduce_sends(losses, stages));
  add("norm", kWord * all_reduce_sends(config.deterministic ? ExactSum::kWords : 1, stages));
}

// What is sent and held for the parameters of a chunk.
void add_chunk(Account& account, const TrainConfig& config, const GradientPlan& plan,
               const Position& position) {
  const auto place = place_of(config, plan, position);
  const auto& placements = plan.table.placements;
  const auto parts = parts_of(config, plan);
  TrainingLayout layout{.parts = parts,
                        .types = types_of(config.type),
                        .sharded = {.optimizer = is_sharded(placements.optimizer),
                                    .gradients = is_sharded(placements.gradients),
                                    .parameters = is_sharded(placements.parameters)},
                        .shards = place.shards,
                        .replicas = place.replicas,
                        .micro_batches = place.rounds,
                        .offloads_optimizer = !config.offload_folder.empty()};
  // Of a pipeline's step, whose micro-batches share them, of all its chunks.
  const bool stay = plan.pipelined && !config.gather.reshard_after_forward;
  if (stay) layout.micro_batches = 1;
  account.sent[{std::string(kAxisNames[kShardAxis]), "parameter all_gather"}] +=
      training_wire_bytes(layout).parameters;
  layout.micro_batches = place.rounds;
  const auto tree = place_in(config.sync, position.data_rank, position.data_nranks);
  if (tree && !plan.steps_a_shard()) layout.tree = &*tree;
  if (config.deterministic) set_partial_sums(layout, place);
  if (config.hook == Hook::fp16 || config.hook == Hook::bf16) layout.types.gradient = 2;
  if (config.hook == Hook::topk)
    add_top_k(account.sent, config, layout);
  else
    add_gradients(account.sent, config, layout);
  layout.types = types_of(config.type);
  if (layout.sharded.parameters) {
    const std::vector<TrainingPart> forward(parts.rbegin(), parts.rend());
    layout.parts = forward;
    const auto live = training_live_bytes(layout, {.ahead = units_ahead(plan, config.gather),
                                                   .most = config.gather.max_live_parameters});
    account.live_bytes = stay ? account.live_bytes + live : std::max(account.live_bytes, live);
  }
  const auto units = units_of(plan);
  layout.parts = units;
  const auto state = training_state_bytes(layout);
  account.state.parameters += state.parameters;
  account.state.gradients += state.gradients;
  account.state.optimizer += state.optimizer;
  account.state.offloaded += state.offloaded;
}

}  // namespace

Account account_of(const TrainConfig& config, const std::vector<const GradientPlan*>& plans,
                   const Position& position) {
  Account account;
  for (const auto* plan : plans) add_chunk(account, config, *plan, position);
  const auto place = place_of(config, *plans.front(), position);
  add_scalars(account.sent, config, *plans.front(), place, position.sequence.leaves);
  add_tensor_sums(account.sent, config, place, position);
  add_attention(account.sent, config, place, position);
  add_messages(account, config, place, plans, position);
  std::erase_if(account.sent, [](const auto& one) { return one.second == 0; });
  return account;
}

Account account_of(const TrainConfig& config, const ChunkPlans& chunks, const Position& position) {
  std::vector<const GradientPlan*> plans;
  for (const auto& chunk : chunks) plans.push_back(&chunk->plan);
  return account_of(config, plans, position);
}

std::uint64_t sent_for(const SentBytes& sent, std::string_view what) {
  std::uint64_t sum = 0;
  for (const auto& [tag, bytes] : sent)
    if (tag.second.starts_with(what)) sum += bytes;
  return sum;
}

std::optional<std::string> difference(const Account& account, SentBytes sent, const Arena& arena) {
  std::erase_if(
      sent, [](const auto& one) { return one.second == 0 || one.first.second == kMetricsPurpose; });
  auto tags = account.sent;
  tags.insert(sent.begin(), sent.end());
  for (const auto& [tag, bytes] : tags) {
    const auto accounted = account.sent.contains(tag) ? account.sent.at(tag) : 0;
    if (sent[tag] != accounted)
      return fmt::format(
          "Bytes sent on {} for {} in a step: {} were counted, {} are accounted for.", tag.first,
          tag.second, sent[tag], accounted);
  }
  struct Figure {
    const char* name;
    std::uint64_t accounted, counted;
  };
  const auto held = [&](Category category) { return arena.bytes(category).now; };
  for (const auto& [name, accounted, counted] : std::to_array<Figure>(
           {{"held for parameters", account.state.parameters, held(Category::parameter)},
            {"held for gradients", account.state.gradients, held(Category::gradient)},
            {"held for the optimizer", account.state.optimizer, held(Category::optimizer)},
            {"held in a file for the optimizer", account.state.offloaded,
             held(Category::offloaded)},
            {"held for gathered parameters", 0, held(Category::live)},
            {"held at most for gathered parameters", account.live_bytes,
             arena.bytes(Category::live).peak}}))
    if (accounted != counted)
      return fmt::format("Bytes {} in a step: {} were counted, {} are accounted for.", name,
                         counted, accounted);
  return std::nullopt;
}

}  // namespace linerate::trainers
