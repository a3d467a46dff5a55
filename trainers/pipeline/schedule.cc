#include "trainers/pipeline/schedule.h"

#include "base/text.h"
#include "trainers/pipeline/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace linerate::trainers {
namespace {

constexpr int kAnyChunks = std::numeric_limits<int>::max();

int none_ahead(const Pipeline& /*pipeline*/, int /*stage*/) { return 0; }
int all_ahead(const Pipeline& pipeline, int /*stage*/) { return pipeline.micro_batches; }
int stages_behind(const Pipeline& pipeline, int stage) { return pipeline.stages - 1 - stage; }
int stages_before(const Pipeline& /*pipeline*/, int stage) { return stage; }
// Of p micro-batches each, or some more where p does not divide them: smaller ones would deadlock.
int rounds_of(const Pipeline& pipeline) {
  return std::max(1, pipeline.micro_batches / pipeline.stages);
}
// Narayanan et al. 2021, and Megatron-LM since, for rounds of p: a round through all chunks but the
// last, and two micro-batches for each stage behind. They want p to divide the micro-batches.
int interleaved_ahead(const Pipeline& pipeline, int stage) {
  const int rounds = rounds_of(pipeline);
  const int round = (pipeline.micro_batches + rounds - 1) / rounds;
  return 2 * stages_behind(pipeline, stage) + (pipeline.chunks - 1) * round;
}

// gpipe: Huang et al. 2019. 1f1b: Narayanan et al. 2019, 2021 (PipeDream-Flush). zb-h1: Qi et al.
// 2023, each stage holds what p micro-batches need for their weights' gradients.
constexpr auto kKinds = std::to_array<ScheduleKind>({
    {.name = "naive", .forwards_ahead = none_ahead, .bubble_us = naive_bubble_us},
    {.name = "gpipe", .forwards_ahead = all_ahead, .bubble_us = flushed_bubble_us},
    {.name = "1f1b", .forwards_ahead = stages_behind, .bubble_us = flushed_bubble_us},
    {.name = "interleaved",
     .forwards_ahead = interleaved_ahead,
     .min_chunks = 2,
     .max_chunks = kAnyChunks,
     .bubble_us = interleaved_bubble_us},
    {.name = "zb-h1",
     .forwards_ahead = stages_behind,
     .inputs_ahead = stages_before,
     .bubble_us = zb_h1_bubble_us},
});

// Micro-batches go in rounds through one chunk after another.
std::vector<Operation> forwards_of(const Pipeline& pipeline) {
  std::vector<Operation> list;
  int first = 0;
  for (int rounds = rounds_of(pipeline); rounds > 0; --rounds) {
    const int last = first + (pipeline.micro_batches - first) / rounds;
    for (int chunk = 0; chunk < pipeline.chunks; ++chunk)
      for (int i = first; i < last; ++i) list.push_back({Action::forward, i, chunk});
    first = last;
  }
  return list;
}

std::vector<Operation> computations_of(const ScheduleKind& kind, const Pipeline& pipeline,
                                       int stage) {
  const auto forwards = forwards_of(pipeline);
  const auto nth = [&](std::size_t n, Action action) {
    return Operation{action, forwards[n].micro_batch, pipeline.chunks - 1 - forwards[n].chunk};
  };
  const auto count = forwards.size();
  const auto ahead =
      std::min(static_cast<std::size_t>(kind.forwards_ahead(pipeline, stage)), count);
  const bool splits = kind.inputs_ahead != nullptr;
  const auto inputs_ahead =
      splits ? static_cast<std::size_t>(kind.inputs_ahead(pipeline, stage)) : count;
  std::vector<Operation> list(forwards.begin(), forwards.begin() + static_cast<int>(ahead));
  for (std::size_t n = 0; n < count; ++n) {
    if (ahead + n < count) list.push_back(forwards[ahead + n]);
    list.push_back(nth(n, splits ? Action::backward_input : Action::backward));
    if (n >= inputs_ahead) list.push_back(nth(n - inputs_ahead, Action::backward_weight));
  }
  for (std::size_t n = count - std::min(inputs_ahead, count); splits && n < count; ++n)
    list.push_back(nth(n, Action::backward_weight));
  return list;
}

std::optional<std::string> refusal(const ScheduleKind& kind, const Pipeline& pipeline) {
  const auto [stages, chunks, micro_batches] = pipeline;
  if (stages < 1 || chunks < 1 || micro_batches < 1)
    return fmt::format(
        "A pipeline of {} stages, {} chunks a stage and {} micro-batches is none: each is 1 or "
        "more.",
        stages, chunks, micro_batches);
  if (chunks < kind.min_chunks)
    return fmt::format("The schedule {} needs {} or more chunks a stage: 1f1b is for one.",
                       kind.name, kind.min_chunks);
  if (chunks > kind.max_chunks)
    return fmt::format("The schedule {} has one chunk a stage, not {}: interleaved has several.",
                       kind.name, chunks);
  return std::nullopt;
}

}  // namespace

std::string described(const Operation& operation) {
  auto text = fmt::format("{} of micro-batch {}, chunk {}",
                          kActionNames[static_cast<std::size_t>(operation.action)],
                          operation.micro_batch, operation.chunk);
  if (is_computation(operation.action)) return text;
  return fmt::format("{}, {} stage {}", text, is_send(operation.action) ? "to" : "from",
                     operation.peer);
}

std::span<const ScheduleKind> schedule_kinds() { return kKinds; }

Result<PipelineSchedule> pipeline_schedule(std::string_view name, const Pipeline& pipeline) {
  const auto kind = std::ranges::find(kKinds, name, &ScheduleKind::name);
  if (kind == kKinds.end()) {
    std::vector<std::string_view> names;
    for (const auto& row : kKinds) names.push_back(row.name);
    return Failure{unknown_choice("pipeline schedule", name, names)};
  }
  if (auto sentence = refusal(*kind, pipeline)) return Failure{*std::move(sentence)};
  PipelineSchedule schedule{.pipeline = pipeline};
  for (int stage = 0; stage < pipeline.stages; ++stage)
    schedule.stages.push_back(computations_of(*kind, pipeline, stage));
  add_messages(schedule);
  return schedule;
}

}  // namespace linerate::trainers
