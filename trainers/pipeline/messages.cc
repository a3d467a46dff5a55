#include "trainers/pipeline/messages.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace linerate::trainers {
namespace {

using Operations = std::vector<Operation>;

// The model's chunk at the other end.
int other_chunk(const Pipeline& pipeline, int stage, Action action, int chunk) {
  const bool next = action == Action::send_activation || action == Action::receive_gradient;
  return pipeline.model_chunk(stage, chunk) + (next ? 1 : -1);
}

// What the stage sends after a computation, or an operation without a peer.
Operation send_after(const Pipeline& pipeline, int stage, const Operation& made) {
  if (made.action == Action::backward_weight) return {};
  const bool forward = made.action == Action::forward;
  return operation_of(pipeline, stage, forward ? Action::send_activation : Action::send_gradient,
                      made.micro_batch, made.chunk);
}

// Of the computation that needs a message, among all that may: a number below 2 parts().
std::size_t use_number(const Pipeline& pipeline, const Operation& operation, bool forward) {
  return 2 * pipeline.part(operation.micro_batch, operation.chunk) + (forward ? 1 : 0);
}

// For each computation of the list, the receives that stand before it. `streams`: what each other
// stage sends to this one, in its order.
std::vector<Operations> receives_before(const Pipeline& pipeline, const Operations& list,
                                        const std::vector<Operations>& streams) {
  std::vector<std::size_t> uses(2 * pipeline.parts());
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].action != Action::backward_weight)
      uses[use_number(pipeline, list[i], list[i].action == Action::forward)] = i;
  std::vector<Operations> before(list.size());
  for (const auto& stream : streams) {
    std::vector<std::size_t> places(stream.size());
    std::size_t place = list.size();
    for (std::size_t i = stream.size(); i-- > 0; places[i] = place) {
      const bool forward = stream[i].action == Action::receive_activation;
      const auto use = uses[use_number(pipeline, stream[i], forward)];
      place = std::min(place, use > 0 ? use - 1 : 0);
    }
    for (std::size_t i = 0; i < stream.size(); ++i) before[places[i]].push_back(stream[i]);
  }
  return before;
}

}  // namespace

Operation operation_of(const Pipeline& pipeline, int stage, Action action, int micro_batch,
                       int chunk) {
  const int other = other_chunk(pipeline, stage, action, chunk);
  const bool has_peer = !is_computation(action) && pipeline.stages > 1 && other >= 0 &&
                        other < pipeline.model_chunks();
  return {action, micro_batch, chunk, has_peer ? other % pipeline.stages : -1};
}

Operation other_end(const Pipeline& pipeline, int stage, const Operation& message) {
  constexpr Action kOther[] = {Action::receive_activation, Action::send_activation,
                               Action::receive_gradient, Action::send_gradient};
  const auto kind =
      static_cast<std::size_t>(message.action) - static_cast<std::size_t>(Action::send_activation);
  const int other = other_chunk(pipeline, stage, message.action, message.chunk);
  return {kOther[kind], message.micro_batch, other / pipeline.stages, stage};
}

void add_messages(PipelineSchedule& schedule) {
  const auto& pipeline = schedule.pipeline;
  const auto stages = schedule.stages.size();
  // Receives, by their stage and by the one that sends, in its order.
  std::vector<std::vector<Operations>> streams(stages, std::vector<Operations>(stages));
  for (std::size_t from = 0; from < stages; ++from)
    for (const auto& operation : schedule.stages[from]) {
      const int stage = static_cast<int>(from);
      const auto send = send_after(pipeline, stage, operation);
      if (send.peer >= 0)
        streams[static_cast<std::size_t>(send.peer)][from].push_back(
            other_end(pipeline, stage, send));
    }
  for (std::size_t at = 0; at < stages; ++at) {
    const auto list = std::exchange(schedule.stages[at], {});
    const auto before = receives_before(pipeline, list, streams[at]);
    auto& complete = schedule.stages[at];
    for (std::size_t i = 0; i < list.size(); ++i) {
      complete.insert(complete.end(), before[i].begin(), before[i].end());
      complete.push_back(list[i]);
      const auto send = send_after(pipeline, static_cast<int>(at), list[i]);
      if (send.peer >= 0) complete.push_back(send);
    }
  }
}

}  // namespace linerate::trainers
