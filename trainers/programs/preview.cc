#include "trainers/programs/preview.h"

#include "backends/table.h"
#include "base/units.h"
#include "trainers/data/source.h"
#include "trainers/engine/accounting.h"
#include "trainers/engine/plan.h"
#include "trainers/model/parameters.h"
#include "trainers/pipeline/draw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kColumns = 100;  // of a drawn schedule

// Of each axis and purpose what the ranks send in a step, from the least to the most.
std::string sent_text(const std::vector<trainers::SentBytes>& by_rank) {
  trainers::SentBytes tags;
  for (const auto& sent : by_rank) tags.insert(sent.begin(), sent.end());
  std::string text;
  for (const auto& [tag, bytes] : tags) {
    std::uint64_t least = bytes, most = 0;
    for (const auto& sent : by_rank) {
      const auto found = sent.find(tag);
      const auto own = found != sent.end() ? found->second : 0;
      least = std::min(least, own);
      most = std::max(most, own);
    }
    text += fmt::format("sent by a rank on {} for {}: {}{} bytes\n", tag.first, tag.second,
                        least < most ? fmt::format("{} to ", least) : "", most);
  }
  return text;
}

// Empty where all ranks have the same, or each has a shard of its own.
std::string mesh_text(const trainers::ParameterTable& table) {
  const auto shards = table.mesh.axes()[trainers::kShardAxis].size;
  const auto replicas = table.mesh.axes()[trainers::kReplicateAxis].size;
  if (trainers::main_axis(table) != trainers::kShardAxis || replicas == 1) return {};
  return fmt::format("# hybrid sharding: {} replicas (dp_replicate) of {} shards (dp_shard)\n",
                     replicas, shards);
}

// The first ones of an axis' groups of ranks, each a communicator.
std::string groups_text(const trainers::TrainConfig& train, int nranks, std::size_t axis) {
  constexpr std::size_t kGroups = 8, kRanks = 16;
  const auto shape = trainers::mesh_shape_of(train, nranks);
  const auto mesh = trainers::mesh_in_order(shape, *trainers::parse_order(trainers::kUsualOrder));
  std::string text;
  std::size_t groups = 0;
  for (std::size_t place = 0; place < mesh.nranks() && groups < kGroups; ++place) {
    if (mesh.coordinate(place, axis) > 0) continue;
    std::vector<int> group;
    for (std::size_t at = 0; at < std::min(shape[axis], kRanks); ++at)
      group.push_back(
          trainers::rank_at(train.order, shape, static_cast<int>(mesh.moved(place, axis, at))));
    text += fmt::format(" {}{}{}", groups++ > 0 ? "| " : "", fmt::join(group, " "),
                        shape[axis] > kRanks ? " …" : "");
  }
  return text + (groups * shape[axis] < mesh.nranks() ? " | …" : "");
}

// Which ranks are along each axis, where there are several axes.
std::string order_text(const trainers::TrainConfig& train, int nranks) {
  const auto shape = trainers::mesh_shape_of(train, nranks);
  if (std::ranges::count_if(shape, [](std::size_t size) { return size > 1; }) < 2) return {};
  auto text = train.order.given.places.empty()
                  ? fmt::format("# order of ranks: {}\n",
                                trainers::text_of(*trainers::parse_order(train.order.axes)))
                  : std::string("# order of ranks: as --rank-order has it\n");
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] > 1)
      text += fmt::format("# ranks along {}:{}\n", trainers::kMeshAxes[axis],
                          groups_text(train, nranks, axis));
  return text;
}

// The schedule as it is if a backward takes twice as long as a forward, and messages take no time.
std::string pipeline_text(const trainers::TrainConfig& train,
                          const trainers::PipelineSchedule& schedule) {
  if (train.pp == 1) return {};
  const auto& pipeline = schedule.pipeline;
  const trainers::ChunkTimes one{.forward_us = 1, .backward_input_us = 1, .backward_weight_us = 1};
  const std::vector<trainers::ChunkTimes> chunks(static_cast<std::size_t>(pipeline.model_chunks()),
                                                 one);
  const auto times = trainers::simulated(schedule, chunks);
  return fmt::format(
      "# pipeline {}: {} stages of {} layers{}; each waits {:.1f} % of the time if backward takes "
      "twice as long as forward\n{}",
      train.pp_schedule, train.pp, train.model.layers / train.pp,
      train.virtual_stages > 1 ? fmt::format(" in {} chunks", train.virtual_stages) : "",
      100 * times.bubble_share(),
      trainers::drawn_pipeline(trainers::drawn_spans(schedule, times), pipeline.stages, kColumns));
}

std::size_t activation_bytes_of(const trainers::TrainConfig& train,
                                const trainers::Position& position,
                                const trainers::ChunkPlans& chunks,
                                const trainers::PipelineSchedule& schedule) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto held =
        trainers::held_of(schedule.stages[static_cast<std::size_t>(position.stage)], i);
    bytes += trainers::activation_bytes(
        trainers::model_of_chunk(train, position, *chunks[i]),
        trainers::model_options_of(train, position, chunks[i]->place(), held));
  }
  return bytes;
}

// Of the first rank of each stage: the others' have the same sizes.
std::string buckets_text(const trainers::TrainConfig& train, int nranks) {
  std::string text;
  const auto stages = static_cast<int>(train.pp);
  for (int stage = 0; stage < stages; ++stage) {
    const auto position = trainers::position_at(train, nranks / stages * stage, nranks);
    for (const auto& chunk : trainers::chunks_of(train, position))
      for (const auto& bucket : chunk->plan.buckets)
        text +=
            fmt::format("bucket of {} for {} parameters, the last of them {}{}\n",
                        bytes_text(bucket.count() * bytes_of(train.type)), bucket.parameters.size(),
                        chunk->table.parameters[bucket.parameters.back()].name,
                        stages > 1 ? fmt::format(", of stage {}", stage) : "");
  }
  return text;
}

}  // namespace

std::string trainer_list_text() {
  std::string text;
  for (const auto& model : trainers::models())
    text += fmt::format(
        "model {} parameters={} style={} layers={} hidden={} heads={} kv_heads={} mlp={} "
        "length={} vocabulary={}\n",
        model.name, trainers::parameters_of(model).count(), model.llama ? "llama" : "gpt2",
        model.layers, model.hidden, model.heads, model.kv_heads, model.mlp, model.length,
        model.vocabulary);
  for (const auto name : trainers::source_names()) text += fmt::format("data {}\n", name);
  text += "data FILE\n";
  for (const auto& backend : all_backends())
    if (backend.name != "nccl") text += fmt::format("backend {}\n", backend.name);
  return text;
}

std::string training_plan_text(const TrainOptions& options, int nranks) {
  const auto& train = options.train;
  const auto first = trainers::position_at(train, 0, nranks);
  const auto table = trainers::table_of(train, first);
  const auto micro_batches = trainers::micro_batches_of(train, first.batch_nranks());
  auto text = fmt::format(
      "# {}: {} parameters in {} units, {} ranks, ZeRO stage {}\n"
      "# {} micro-batches of {} sequences of {} tokens make a step\n",
      train.model.name, trainers::parameters_of(train.model).count(), table.units(), nranks,
      static_cast<int>(train.stage), micro_batches.count(), micro_batches.size, train.model.length);
  text += mesh_text(table) + order_text(train, nranks);
  const auto schedule = trainers::schedule_of(train, first);
  text += pipeline_text(train, schedule);
  text += buckets_text(train, nranks);
  text +=
      "#  rank     gradients sent    parameters sent   parameters    gradients    optimizer     "
      "gathered  activations\n";
  std::vector<trainers::SentBytes> sent;
  for (int rank = 0; rank < nranks; ++rank) {
    const auto position = trainers::position_of(train, rank, nranks);
    const auto chunks = trainers::chunks_of(train, position);
    const auto account = trainers::account_of(train, chunks, position);
    sent.push_back(account.sent);
    text += fmt::format("{:>7} {:>18} {:>18} {:>12} {:>12} {:>12} {:>12} {:>12}\n", rank,
                        trainers::sent_for(account.sent, "gradient"),
                        trainers::sent_for(account.sent, "parameter"), account.state.parameters,
                        account.state.gradients, account.state.optimizer, account.live_bytes,
                        activation_bytes_of(train, position, chunks, schedule));
  }
  return text + sent_text(sent);
}

}  // namespace linerate
