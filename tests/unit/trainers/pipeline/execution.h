// Executes a schedule stage by stage, as ranks with queues do: an oracle for the checker that knows
// nothing of graphs.
#pragma once

#include "trainers/pipeline/schedule.h"

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace linerate::trainers {

class Execution {
 public:
  explicit Execution(const PipelineSchedule& schedule)
      : pipeline_(schedule.pipeline), lists_(schedule.stages), next_(lists_.size()) {}

  // Whether all stages come to the end of their lists, each operation with what it needs, and all
  // chunks have then been forward and back.
  bool completes() {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t stage = 0; stage < lists_.size(); ++stage)
        for (; next_[stage] < lists_[stage].size(); ++next_[stage], moves = true)
          if (!issue(static_cast<int>(stage), lists_[stage][next_[stage]])) break;
      for (auto& [pair, stream] : streams_)
        for (; !stream.sent.empty() && !stream.received.empty(); moves = true)
          if (!deliver(pair.second, stream)) return false;
    }
    for (std::size_t stage = 0; stage < lists_.size(); ++stage)
      if (next_[stage] < lists_[stage].size()) return false;
    for (const auto& [pair, stream] : streams_)
      if (!stream.sent.empty() || !stream.received.empty()) return false;
    const auto all = static_cast<std::size_t>(pipeline_.model_chunks() * pipeline_.micro_batches);
    return ok_ && forwards_.size() == all && backwards_.size() == all && weights_.size() == all;
  }

 private:
  using Part = std::pair<int, int>;  // micro-batch and the model's chunk
  struct Message {
    bool gradient = false;
    Part part{};  // the receiver's

    bool operator==(const Message&) const = default;
  };
  struct Stream {
    std::deque<Message> sent{}, received{};
  };

  // False where it must wait.
  bool issue(int stage, const Operation& operation) {
    const int chunk = pipeline_.model_chunk(stage, operation.chunk);
    const Part part{operation.micro_batch, chunk};
    ok_ = ok_ && operation.micro_batch < pipeline_.micro_batches;
    const int last = pipeline_.model_chunks() - 1;
    switch (operation.action) {
      case Action::forward:
        if (chunk > 0 && !has_input(activations_, forwards_, part, -1)) return false;
        ok_ = ok_ && forwards_.insert(part).second;
        return true;
      case Action::backward:
      case Action::backward_input:
        if (chunk < last && !has_input(gradients_, backwards_, part, 1)) return false;
        ok_ = ok_ && forwards_.contains(part) && backwards_.insert(part).second;
        if (operation.action == Action::backward) ok_ = ok_ && weights_.insert(part).second;
        return true;
      case Action::backward_weight:
        ok_ = ok_ && backwards_.contains(part) && weights_.insert(part).second;
        return true;
      case Action::send_activation:
        ok_ = ok_ && forwards_.contains(part);
        streams_[{stage, operation.peer}].sent.push_back({false, {part.first, chunk + 1}});
        return true;
      case Action::send_gradient:
        ok_ = ok_ && backwards_.contains(part);
        streams_[{stage, operation.peer}].sent.push_back({true, {part.first, chunk - 1}});
        return true;
      case Action::receive_activation:
      case Action::receive_gradient:
        streams_[{operation.peer, stage}].received.push_back(
            {operation.action == Action::receive_gradient, part});
        return true;
    }
    return false;
  }

  // From a message, or from the same stage where it has the neighbour's chunk too.
  bool has_input(const std::set<Part>& arrived, const std::set<Part>& made, Part part,
                 int neighbour) const {
    if (pipeline_.stages > 1) return arrived.contains(part);
    return made.contains({part.first, part.second + neighbour});
  }

  bool deliver(int to, Stream& stream) {
    const auto message = stream.sent.front();
    if (message != stream.received.front()) return false;
    if (message.part.second % pipeline_.stages != to) return false;
    ok_ = ok_ && (message.gradient ? gradients_ : activations_).insert(message.part).second;
    stream.sent.pop_front();
    stream.received.pop_front();
    return true;
  }

  const Pipeline pipeline_;
  const std::vector<std::vector<Operation>>& lists_;
  std::vector<std::size_t> next_;
  std::map<std::pair<int, int>, Stream> streams_;  // by both stages
  std::set<Part> activations_, gradients_;         // that arrived
  std::set<Part> forwards_, backwards_, weights_;
  bool ok_ = true;
};

}  // namespace linerate::trainers
