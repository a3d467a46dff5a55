// Pipeline schedules as data: what each stage computes, sends and receives in a step, in its order.
//
// A model is cut into p v chunks of consecutive layers, for p stages (ranks along the axis pp) of v
// chunks each: chunk c of stage s is chunk c p + s of the model. A step takes m micro-batches
// forward through all chunks, and gradients back. A schedule is a list of operations for each
// stage, that an engine executes, a checker and a simulator read, and a drawing shows.
//   bubble.h        a pipeline's shape, and the closed forms of how long stages idle
//   schedule.h      operations, and the known schedules, made by name
//   messages.h      which messages there are, and where they stand in the lists
//   dependencies.h  what each operation waits for
//   check.h         finds the fault of any schedule before it runs
//   simulate.h      when operations begin and end, and what stages hold
//   draw.h          a schedule, or what was recorded of one, as text
// How a stage runs its list: computations one after another on the compute stream. All messages
// from one stage to another have a stream and a communicator of their own, whatever they carry,
// because both ends have them in one order. An operation is issued once the computations before it
// in the list have ended; a computation waits for the messages that it needs, and for no others. As
// nothing waits for a send, each message keeps its buffer until it has ended.
#pragma once

#include "base/result.h"
#include "trainers/pipeline/bubble.h"

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::trainers {

// A backward is whole, or is split (Qi et al. 2023): first the gradient of the chunk's input, which
// the stage before waits for (B), and later those of its weights (W).
enum class Action : std::uint8_t {
  forward,
  backward,
  backward_input,
  backward_weight,
  send_activation,  // of the chunk's output
  receive_activation,
  send_gradient,  // of the chunk's input
  receive_gradient,
};
inline constexpr std::string_view kActionNames[] = {
    "forward",         "backward",           "backward_input", "backward_weight",
    "send_activation", "receive_activation", "send_gradient",  "receive_gradient"};

constexpr bool is_computation(Action action) { return action < Action::send_activation; }
constexpr bool is_send(Action action) {
  return action == Action::send_activation || action == Action::send_gradient;
}
constexpr bool is_receive(Action action) { return !is_computation(action) && !is_send(action); }

struct Operation {
  Action action = Action::forward;
  int micro_batch = 0;
  int chunk = 0;  // of the stage
  int peer = -1;  // of a message: the stage at its other end

  auto operator<=>(const Operation&) const = default;
};
// "send_activation of micro-batch 3, chunk 0, to stage 1".
std::string described(const Operation& operation);

struct PipelineSchedule {
  Pipeline pipeline{};
  std::vector<std::vector<Operation>> stages{};  // the list of each
};

// In every schedule a stage makes some forwards, then a forward and a backward in turn while there
// are forwards left, then the other backwards.
struct ScheduleKind {
  std::string_view name{};
  // How many forwards the first backward comes after, if there are as many.
  int (*forwards_ahead)(const Pipeline&, int stage) = nullptr;
  // How many backward_input are ahead of backward_weight; null: backwards are whole.
  int (*inputs_ahead)(const Pipeline&, int stage) = nullptr;
  int min_chunks = 1, max_chunks = 1;  // of a stage
  // The closed form of a stage's idle time in a step.
  double (*bubble_us)(const Pipeline&, const ChunkTimes&) = nullptr;
};
// naive, gpipe, 1f1b, interleaved, zb-h1.
std::span<const ScheduleKind> schedule_kinds();

// Or the sentence that says what such a schedule requires. Any number of micro-batches will do.
Result<PipelineSchedule> pipeline_schedule(std::string_view name, const Pipeline& pipeline);

}  // namespace linerate::trainers
