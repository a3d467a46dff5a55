#include "plan/memory.h"

#include "trainers/engine/accounting.h"
#include "trainers/model/activations.h"
#include "trainers/model/tensor_parallel.h"

#include <algorithm>
#include <utility>

namespace linerate::plan {

using trainers::TrainConfig;

namespace {

trainers::Position first_of_stage(const TrainConfig& config, int stage, int nranks) {
  return position_at(config, nranks / static_cast<int>(config.pp) * stage, nranks);
}

StageState state_of(const TrainConfig& config, const trainers::Position& position) {
  const auto chunks = chunks_of(config, position);
  const auto account = account_of(config, chunks, position);
  StageState state{.held = account.state, .live_bytes = account.live_bytes};
  for (const auto& chunk : chunks) {
    ChunkState of;
    for (const auto& bucket : chunk->plan.buckets) of.buckets.push_back(bucket.count());
    for (std::size_t unit = 0; unit < chunk->table.units(); ++unit)
      of.units.push_back(chunk->layout.padded(unit));
    for (const auto& owned : chunk->plan.owned) state.owned += owned.count;
    state.chunks.push_back(std::move(of));
  }
  return state;
}

// Keys and values of other ranks (context parallelism), rows that are gathered (sequence
// parallelism): of one layer at a time.
std::uint64_t exchange_bytes_of(const TrainConfig& config, const trainers::Position& position) {
  const auto share = model_of_share(config.model, position.tensor);
  const auto sequences = micro_batches_of(config, position.batch_nranks()).size;
  const auto element = static_cast<std::uint64_t>(bytes_of(config.type));
  std::uint64_t bytes = 0;
  if (position.tensor.splits_rows)
    bytes += 2 * sequences * config.model.length / config.cp * config.model.hidden * element;
  if (config.cp == 1) return bytes;
  const auto scratch = context_scratch_bytes(
      {.split = position.sequence.split,
       .exchanges_heads = config.cp_method == trainers::ContextMethod::ulysses,
       .batch = sequences,
       .heads = share.heads,
       .kv_heads = share.kv_heads,
       .head = share.head(),
       .element = element},
      position.sequence.rank);
  return bytes + std::max(scratch.forward, scratch.backward);
}

}  // namespace

std::uint64_t rounds_of(const TrainConfig& config, const trainers::Position& position) {
  const auto ranks = static_cast<std::uint64_t>(position.batch_nranks());
  return (micro_batches_of(config, position.batch_nranks()).count() + ranks - 1) / ranks;
}

std::uint64_t steady_rounds(const TrainConfig& config) { return 2 * config.pp; }

TrainConfig shortened(const TrainConfig& config, int nranks, std::uint64_t rounds) {
  const auto position = first_of_stage(config, 0, nranks);
  if (rounds_of(config, position) <= rounds) return config;
  auto shorter = config;
  shorter.micro_batch = micro_batches_of(config, position.batch_nranks()).size;
  shorter.batch =
      rounds * shorter.micro_batch * static_cast<std::uint64_t>(position.batch_nranks());
  return shorter;
}

const StageState& MemoryModel::state(const TrainConfig& config, int stage) {
  const auto pp = static_cast<int>(config.pp);
  // Stages but both ends are alike.
  const int alike = stage > 0 && stage + 1 < pp ? 1 : stage;
  const Key key{config.tp,
                config.pp,
                config.virtual_stages,
                static_cast<std::size_t>(config.stage),
                static_cast<std::size_t>(nranks_) / config.tp / config.pp,
                static_cast<std::size_t>(alike),
                static_cast<std::size_t>(config.shard_size)};
  const auto [found, fresh] = states_.try_emplace(key);
  if (fresh) {
    auto simple = shortened(config, nranks_, 1);
    simple.cp = 1;  // what is held does not depend on who has which sequences
    simple.batch = std::max<std::uint64_t>(simple.batch, 1);
    found->second = state_of(simple, first_of_stage(simple, alike, nranks_));
  }
  return found->second;
}

// Up to a steady state as the schedule says; beyond that they stay, or grow with each micro-batch.
trainers::HeldMicroBatches MemoryModel::held(const TrainConfig& config, int stage,
                                             std::size_t chunk) {
  const auto of = [&](std::uint64_t rounds) {
    const HeldKey key{config.pp > 1 ? config.pp_schedule : "naive", config.pp,
                      config.virtual_stages, rounds, stage};
    const auto [found, fresh] = held_.try_emplace(key);
    if (fresh) {
      const auto schedule =
          schedule_of(shortened(config, nranks_, rounds), first_of_stage(config, stage, nranks_));
      for (std::size_t i = 0; i < config.virtual_stages; ++i)
        found->second.push_back(held_of(schedule.stages[static_cast<std::size_t>(stage)], i));
    }
    return found->second[chunk];
  };
  const auto rounds = rounds_of(config, first_of_stage(config, stage, nranks_));
  const auto steady = steady_rounds(config);
  if (rounds <= 2 * steady) return of(rounds);
  const auto before = of(steady), after = of(2 * steady);
  return {after.slots + (after.slots - before.slots) * (rounds - 2 * steady) / steady,
          after.later + (after.later - before.later) * (rounds - 2 * steady) / steady};
}

MemoryParts MemoryModel::of_stage(const TrainConfig& config, int stage) {
  const auto& state = this->state(config, stage);
  const auto position = first_of_stage(config, stage, nranks_);
  MemoryParts parts{.parameters = state.held.parameters,
                    .gradients = state.held.gradients,
                    .optimizer = state.held.optimizer,
                    .gathered = state.live_bytes,
                    .scratch = exchange_bytes_of(config, position)};
  const auto share = model_of_share(config.model, position.tensor);
  const auto pp = config.pp, chunks = config.pp * config.virtual_stages;
  for (std::size_t i = 0; i < config.virtual_stages; ++i) {
    const auto of_model = i * pp + static_cast<std::size_t>(stage);
    auto model = share;
    model.layers = config.model.layers / chunks;
    model.length = position.sequence.split.local_length();
    const trainers::ChunkPlace place{.first_layer = of_model * model.layers,
                                     .embeds = of_model == 0,
                                     .heads = of_model + 1 == chunks};
    parts.activations +=
        activation_bytes(model, model_options_of(config, position, place, held(config, stage, i)));
  }
  if (config.stage < trainers::Stage::gradients) return parts;
  std::uint64_t largest = 0;
  for (const auto& chunk : state.chunks)
    for (const auto bucket : chunk.buckets) largest = std::max(largest, bucket);
  parts.scratch += largest * bytes_of(config.type);
  return parts;
}

MemoryParts MemoryModel::most(const TrainConfig& config) {
  auto first = of_stage(config, 0);
  if (config.pp == 1) return first;
  const auto last = of_stage(config, static_cast<int>(config.pp) - 1);
  return last.total() > first.total() ? last : first;
}

}  // namespace linerate::plan
