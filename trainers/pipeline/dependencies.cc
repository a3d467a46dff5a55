#include "trainers/pipeline/dependencies.h"

#include "trainers/pipeline/messages.h"

#include <algorithm>
#include <map>
#include <optional>

namespace linerate::trainers {
namespace {

// All but the receives get a node of their own, and a receive that of its send.
void number_nodes(const PipelineSchedule& schedule, Dependencies& all) {
  std::map<PlacedOperation, std::size_t> sends;
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
    for (const auto& operation : schedule.stages[stage]) {
      const PlacedOperation placed{static_cast<int>(stage), operation};
      if (is_send(operation.action)) sends[placed] = all.operations.size();
      if (!is_receive(operation.action)) all.operations.push_back(placed);
    }
  std::size_t next = 0;
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    auto& nodes = all.nodes.emplace_back();
    for (const auto& operation : schedule.stages[stage]) {
      const auto sent = [&] {
        return other_end(schedule.pipeline, static_cast<int>(stage), operation);
      };
      nodes.push_back(is_receive(operation.action) ? sends.at({operation.peer, sent()}) : next++);
    }
  }
  all.waits_for.resize(next);
}

// Of the operations of one stage.
void add_waits(const std::vector<Operation>& list, const std::vector<std::size_t>& nodes,
               Dependencies& all) {
  std::map<int, std::size_t> last_send;       // by peer
  std::map<Operation, std::size_t> received;  // without their peers
  std::optional<std::size_t> last_computation;
  const auto wait = [&](std::size_t node, const auto& awaited, const auto& by) {
    const auto found = awaited.find(by);
    if (found != awaited.end()) all.waits_for[node].push_back(found->second);
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto [action, micro_batch, chunk, peer] = list[i];
    if (last_computation) all.waits_for[nodes[i]].push_back(*last_computation);
    if (is_send(action)) {
      wait(nodes[i], last_send, peer);
      last_send[peer] = nodes[i];
    } else if (is_receive(action)) {
      received[{action, micro_batch, chunk}] = nodes[i];
    } else {
      const bool forward = action == Action::forward;
      wait(nodes[i], received,
           Operation{forward ? Action::receive_activation : Action::receive_gradient, micro_batch,
                     chunk});
      last_computation = nodes[i];
    }
  }
}

}  // namespace

std::vector<std::size_t> Dependencies::order() const {
  std::vector<std::vector<std::size_t>> waiting(waits_for.size());  // for each node
  std::vector<std::size_t> open(waits_for.size());                  // what each still waits for
  std::vector<std::size_t> ready;
  for (std::size_t node = 0; node < waits_for.size(); ++node) {
    open[node] = waits_for[node].size();
    if (open[node] == 0) ready.push_back(node);
    for (const auto other : waits_for[node]) waiting[other].push_back(node);
  }
  for (std::size_t next = 0; next < ready.size(); ++next)
    for (const auto node : waiting[ready[next]])
      if (--open[node] == 0) ready.push_back(node);
  return ready;
}

std::vector<std::size_t> Dependencies::circle() const {
  std::vector<bool> can_begin(waits_for.size());
  for (const auto node : order()) can_begin[node] = true;
  const auto stuck = [&](std::size_t node) { return !can_begin[node]; };
  std::vector<std::size_t> path{
      static_cast<std::size_t>(std::ranges::find(can_begin, false) - can_begin.begin())};
  for (;;) {
    const auto next = *std::ranges::find_if(waits_for[path.back()], stuck);
    const auto seen = std::ranges::find(path, next);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(next);
  }
}

Dependencies dependencies_of(const PipelineSchedule& schedule) {
  Dependencies all;
  number_nodes(schedule, all);
  for (std::size_t stage = 0; stage < all.nodes.size(); ++stage)
    add_waits(schedule.stages[stage], all.nodes[stage], all);
  return all;
}

}  // namespace linerate::trainers
