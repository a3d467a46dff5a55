#include "trainers/pipeline/simulate.h"

#include "trainers/pipeline/dependencies.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

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

double wait_us(const Pipeline& pipeline, const PlacedOperation& placed,
               std::span<const ChunkTimes> chunks) {
  const int chunk = pipeline.model_chunk(placed.stage, placed.operation.chunk);
  const auto& times = chunks[static_cast<std::size_t>(chunk)];
  switch (placed.operation.action) {
    case Action::forward:
      return times.forward_wait_us;
    case Action::backward:
      return times.backward_input_wait_us + times.backward_weight_wait_us;
    case Action::backward_input:
      return times.backward_input_wait_us;
    case Action::backward_weight:
      return times.backward_weight_wait_us;
    case Action::send_activation:
    case Action::receive_gradient:
    case Action::send_gradient:
    case Action::receive_activation:
      break;
  }
  return 0;
}

PipelineTimes times_of(const PipelineSchedule& schedule, const Dependencies& all,
                       const std::vector<OperationSpan>& spans,
                       const std::vector<double>& waits_us) {
  PipelineTimes times{.stages = std::vector<StageTimes>(schedule.stages.size())};
  for (std::size_t node = 0; node < spans.size(); ++node) {
    times.step_us = std::max(times.step_us, spans[node].end_us);
    const auto& [stage, operation] = all.operations[node];
    if (!is_computation(operation.action)) continue;
    auto& of_stage = times.stages[static_cast<std::size_t>(stage)];
    of_stage.busy_us += spans[node].end_us - spans[node].start_us;
    of_stage.wait_us += waits_us[node];
  }
  for (std::size_t stage = 0; stage < all.nodes.size(); ++stage)
    for (const auto node : all.nodes[stage]) times.stages[stage].operations.push_back(spans[node]);
  return times;
}

// Operations under way, from one end to the next.
class SharedTime {
 public:
  SharedTime(const PipelineSchedule& schedule, std::span<const ChunkTimes> chunks,
             const SharedBy& shared)
      : all_(dependencies_of(schedule)),
        shared_(shared),
        nstages_(static_cast<double>(schedule.stages.size())),
        waiting_(all_.waits_for.size()),
        open_(all_.waits_for.size()),
        spans_(all_.waits_for.size()),
        waited_us_(all_.waits_for.size()) {
    for (std::size_t node = 0; node < open_.size(); ++node) {
      left_us_.push_back(duration_us(schedule.pipeline, all_.operations[node], chunks));
      wait_us_.push_back(wait_us(schedule.pipeline, all_.operations[node], chunks));
      open_[node] = all_.waits_for[node].size();
      for (const auto other : all_.waits_for[node]) waiting_[other].push_back(node);
      if (open_[node] == 0) running_.push_back(node);
    }
  }

  void run() {
    while (!running_.empty()) advance();
  }
  const Dependencies& dependencies() const { return all_; }
  const std::vector<OperationSpan>& spans() const { return spans_; }
  const std::vector<double>& waited_us() const { return waited_us_; }

 private:
  bool computes(std::size_t node) const {
    return is_computation(all_.operations[node].operation.action) && left_us_[node] > kNoTimeUs;
  }
  bool waits(std::size_t node) const { return left_us_[node] <= kNoTimeUs; }
  // Of its work, then of its wait.
  double& left_us(std::size_t node) {
    return left_us_[node] > kNoTimeUs ? left_us_[node] : wait_us_[node];
  }

  // To the next end of any work or wait.
  void advance() {
    const auto count = [&](auto is) {
      return static_cast<double>(std::ranges::count_if(running_, is));
    };
    const double computing = count([&](std::size_t node) { return computes(node); });
    const double rate = computing > shared_.processors ? shared_.processors / computing : 1;
    const double wait_rate =
        shared_.network_rate(count([&](std::size_t node) { return waits(node); }), nstages_);
    const auto rate_of = [&](std::size_t node) {
      return computes(node) ? rate : waits(node) ? wait_rate : 1;
    };
    double next_us = left_us(running_.front()) / rate_of(running_.front());
    for (const auto node : running_) next_us = std::min(next_us, left_us(node) / rate_of(node));
    now_us_ += next_us;
    std::vector<std::size_t> still;
    for (const auto node : running_) {
      if (waits(node)) waited_us_[node] += next_us;
      left_us(node) -= next_us * rate_of(node);
      if (left_us(node) > kNoTimeUs)
        still.push_back(node);
      else
        end(node, still);
    }
    running_ = std::move(still);
  }

  void end(std::size_t node, std::vector<std::size_t>& begun) {
    spans_[node].end_us = now_us_;
    for (const auto next : waiting_[node])
      if (--open_[next] == 0) {
        spans_[next].start_us = now_us_;
        begun.push_back(next);
      }
  }

  static constexpr double kNoTimeUs = 1e-9;  // rounding

  const Dependencies all_;
  const SharedBy shared_;
  const double nstages_;
  std::vector<std::vector<std::size_t>> waiting_;  // for each node
  std::vector<std::size_t> open_, running_{};
  std::vector<double> left_us_{}, wait_us_{};
  std::vector<OperationSpan> spans_;
  std::vector<double> waited_us_;
  double now_us_ = 0;
};

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
  std::vector<double> waits_us(spans.size());
  for (const auto node : all.order()) {
    auto& span = spans[node];
    for (const auto other : all.waits_for[node])
      span.start_us = std::max(span.start_us, spans[other].end_us);
    waits_us[node] = wait_us(schedule.pipeline, all.operations[node], chunks);
    span.end_us = span.start_us + duration_us(schedule.pipeline, all.operations[node], chunks) +
                  waits_us[node];
  }
  return times_of(schedule, all, spans, waits_us);
}

PipelineTimes simulated_sharing(const PipelineSchedule& schedule,
                                std::span<const ChunkTimes> chunks, const SharedBy& shared) {
  if (shared.processors >= static_cast<double>(schedule.stages.size()) && shared.network <= 1)
    return simulated(schedule, chunks);
  SharedTime time(schedule, chunks, shared);
  time.run();
  return times_of(schedule, time.dependencies(), time.spans(), time.waited_us());
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
