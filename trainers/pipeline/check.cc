#include "trainers/pipeline/check.h"

#include "trainers/pipeline/dependencies.h"
#include "trainers/pipeline/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

using Fault = std::optional<std::string>;

// Of one micro-batch in one chunk: what must stand before what.
constexpr std::pair<Action, Action> kOrder[] = {
    {Action::receive_activation, Action::forward},
    {Action::forward, Action::send_activation},
    {Action::forward, Action::backward},
    {Action::forward, Action::backward_input},
    {Action::receive_gradient, Action::backward},
    {Action::receive_gradient, Action::backward_input},
    {Action::backward, Action::send_gradient},
    {Action::backward_input, Action::send_gradient},
    {Action::backward_input, Action::backward_weight},
};

// One stage's list by itself.
class StageList {
 public:
  StageList(const Pipeline& pipeline, int stage, const std::vector<Operation>& list)
      : pipeline_(pipeline), stage_(stage), list_(list) {
    places_.resize(std::size(kActionNames) * pipeline.parts(), kNowhere);
  }

  Fault fault() {
    if (auto fault = misplaced()) return fault;
    for (int micro_batch = 0; micro_batch < pipeline_.micro_batches; ++micro_batch)
      for (int chunk = 0; chunk < pipeline_.chunks; ++chunk) {
        if (auto fault = incomplete(micro_batch, chunk)) return fault;
        if (auto fault = out_of_order(micro_batch, chunk)) return fault;
      }
    return std::nullopt;
  }

 private:
  static constexpr int kNowhere = -1;

  int& place(const Operation& wanted) {
    const auto action = static_cast<std::size_t>(wanted.action);
    return places_[action * pipeline_.parts() + pipeline_.part(wanted.micro_batch, wanted.chunk)];
  }
  bool has(const Operation& wanted) { return place(wanted) != kNowhere; }

  Operation operation(Action action, int micro_batch, int chunk) const {
    return operation_of(pipeline_, stage_, action, micro_batch, chunk);
  }

  // Fills places_.
  Fault misplaced() {
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const auto [action, micro_batch, chunk, peer] = list_[i];
      const bool exists = micro_batch >= 0 && micro_batch < pipeline_.micro_batches && chunk >= 0 &&
                          chunk < pipeline_.chunks &&
                          list_[i] == operation(action, micro_batch, chunk) &&
                          (is_computation(action) || peer >= 0);
      if (!exists) return fmt::format("Stage {} must not have {}.", stage_, described(list_[i]));
      if (has(list_[i])) return fmt::format("Stage {} has {} twice.", stage_, described(list_[i]));
      place(list_[i]) = static_cast<int>(i);
    }
    return std::nullopt;
  }

  bool must_have(const Operation& wanted) {
    const auto [action, micro_batch, chunk, peer] = wanted;
    if (!is_computation(action)) return peer >= 0;
    const bool splits = has({Action::backward_input, micro_batch, chunk});
    return action == Action::forward || (action == Action::backward) != splits;
  }

  Fault incomplete(int micro_batch, int chunk) {
    for (std::size_t i = 0; i < std::size(kActionNames); ++i) {
      const auto wanted = operation(static_cast<Action>(i), micro_batch, chunk);
      if (must_have(wanted) != has(wanted))
        return fmt::format("Stage {} {} {}.", stage_, has(wanted) ? "must not have" : "lacks",
                           described(wanted));
    }
    return std::nullopt;
  }

  // The operation that computes the gradient of the chunk's input.
  Operation backward_of(int micro_batch, int chunk) {
    const Operation split{Action::backward_input, micro_batch, chunk};
    return has(split) ? split : Operation{Action::backward, micro_batch, chunk};
  }

  Fault reversed(const Operation& first, const Operation& then) {
    if (!has(first) || !has(then) || place(first) < place(then)) return std::nullopt;
    return fmt::format("Stage {} has {} after {}.", stage_, described(first), described(then));
  }

  // REQUIRES: it is complete.
  Fault out_of_order(int micro_batch, int chunk) {
    for (const auto& [first, then] : kOrder)
      if (auto fault =
              reversed(operation(first, micro_batch, chunk), operation(then, micro_batch, chunk)))
        return fault;
    if (pipeline_.stages > 1 || chunk == 0) return std::nullopt;
    // Chunks of one stage, which no message keeps in order.
    if (auto fault = reversed(backward_of(micro_batch, chunk), backward_of(micro_batch, chunk - 1)))
      return fault;
    return reversed({Action::forward, micro_batch, chunk - 1},
                    {Action::forward, micro_batch, chunk});
  }

  const Pipeline& pipeline_;
  const int stage_;
  const std::vector<Operation>& list_;
  std::vector<int> places_;
};

// The messages of a stage to or from another, as the sender has them.
std::vector<Operation> stream_of(const PipelineSchedule& schedule, int stage, int peer,
                                 bool sends) {
  std::vector<Operation> stream;
  for (const auto& operation : schedule.stages[static_cast<std::size_t>(stage)])
    if (operation.peer == peer && is_send(operation.action) == sends)
      stream.push_back(sends ? operation : other_end(schedule.pipeline, stage, operation));
  return stream;
}

// REQUIRES: both ends have the same messages.
Fault crossed_messages(const PipelineSchedule& schedule, int from, int to) {
  const auto sent = stream_of(schedule, from, to, true);
  const auto received = stream_of(schedule, to, from, false);
  const auto [send, receive] = std::ranges::mismatch(sent, received);
  if (send == sent.end()) return std::nullopt;
  return fmt::format("Stage {} receives the messages of stage {} in another order: {} meets {}.",
                     to, from, described(*send),
                     described(other_end(schedule.pipeline, from, *receive)));
}

Fault deadlock(const PipelineSchedule& schedule) {
  const auto all = dependencies_of(schedule);
  if (all.order().size() == all.operations.size()) return std::nullopt;
  std::string circle;
  for (const auto node : all.circle()) {
    const auto& [stage, operation] = all.operations[node];
    circle += fmt::format("stage {}'s {}, which waits for ", stage, described(operation));
  }
  return fmt::format("Deadlock: {}the first.", circle);
}

}  // namespace

std::optional<std::string> schedule_fault(const PipelineSchedule& schedule) {
  const int stages = schedule.pipeline.stages;
  if (static_cast<int>(schedule.stages.size()) != stages)
    return fmt::format("There are lists for {} of {} stages.", schedule.stages.size(), stages);
  for (int stage = 0; stage < stages; ++stage) {
    const auto& list = schedule.stages[static_cast<std::size_t>(stage)];
    if (auto fault = StageList(schedule.pipeline, stage, list).fault()) return fault;
  }
  for (int from = 0; from < stages; ++from)
    for (int to = 0; to < stages; ++to)
      if (auto fault = crossed_messages(schedule, from, to)) return fault;
  return deadlock(schedule);
}

}  // namespace linerate::trainers
