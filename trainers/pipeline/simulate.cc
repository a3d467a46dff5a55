#include "trainers/pipeline/simulate.h"

#include "trainers/pipeline/dependencies.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace linerate::trainers {
namespace {

double duration_us(const Pipeline& pipeline, const PlacedOperation& placed,
                   std::span<const ChunkTimes> chunks) {
  const int chunk = pipeline.model_chunk(placed.stage, placed.operation.chunk);
  const auto& times = chunks[static_cast<std::size_t>(chunk)];
  switch (placed.operation.action) {
    case Action::forward:
      return times.forward_us;
    case Action::backward:
      return times.backward_us();
    case Action::backward_input:
      return times.backward_input_us;
    case Action::backward_weight:
      return times.backward_weight_us;
    case Action::send_activation:
    case Action::receive_gradient:
      return times.message_us;
    case Action::send_gradient:
    case Action::receive_activation:
      break;
  }
  return chunks[static_cast<std::size_t>(chunk - 1)].message_us;
}

}  // namespace

double PipelineTimes::bubble_us(int stage) const {
  return step_us - stages[static_cast<std::size_t>(stage)].busy_us;
}

double PipelineTimes::bubble_share() const {
  double busy_us = 0;
  for (const auto& stage : stages) busy_us += stage.busy_us;
  return 1 - busy_us / (step_us * static_cast<double>(stages.size()));
}

PipelineTimes simulated(const PipelineSchedule& schedule, std::span<const ChunkTimes> chunks) {
  assert(chunks.size() == static_cast<std::size_t>(schedule.pipeline.model_chunks()));
  const auto all = dependencies_of(schedule);
  std::vector<OperationSpan> spans(all.operations.size());
  PipelineTimes times{.stages = std::vector<StageTimes>(schedule.stages.size())};
  for (const auto node : all.order()) {
    const auto& placed = all.operations[node];
    auto& span = spans[node];
    for (const auto other : all.waits_for[node])
      span.start_us = std::max(span.start_us, spans[other].end_us);
    const double took_us = duration_us(schedule.pipeline, placed, chunks);
    span.end_us = span.start_us + took_us;
    times.step_us = std::max(times.step_us, span.end_us);
    if (is_computation(placed.operation.action))
      times.stages[static_cast<std::size_t>(placed.stage)].busy_us += took_us;
  }
  for (std::size_t stage = 0; stage < all.nodes.size(); ++stage)
    for (const auto node : all.nodes[stage]) times.stages[stage].operations.push_back(spans[node]);
  return times;
}

HeldActivations held_activations(std::span<const Operation> list) {
  HeldActivations most;
  int for_backward = 0, for_weights = 0;
  for (const auto& operation : list) {
    if (operation.action == Action::forward) ++for_backward, ++for_weights;
    most.for_backward = std::max(most.for_backward, for_backward);
    most.for_weights = std::max(most.for_weights, for_weights);
    if (operation.action == Action::backward) --for_backward, --for_weights;
    if (operation.action == Action::backward_input) --for_backward;
    if (operation.action == Action::backward_weight) --for_weights;
  }
  return most;
}

}  // namespace linerate::trainers
