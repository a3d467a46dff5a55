// When the operations of a schedule begin and end, if all take as long as they are said to: each
// as soon as nothing that it waits for is left (dependencies.h). Messages of different streams do
// not slow each other down, nor computations.
#pragma once

#include "trainers/pipeline/schedule.h"

#include <span>
#include <vector>

namespace linerate::trainers {

// From the step's begin.
struct OperationSpan {
  double start_us = 0, end_us = 0;
};

struct StageTimes {
  std::vector<OperationSpan> operations{};  // as its list has them; both ends of a message alike
  double busy_us = 0;                       // in computations
  double wait_us = 0;                       // of that, for a network
};

struct PipelineTimes {
  double step_us = 0;
  std::vector<StageTimes> stages{};

  double bubble_us(int stage) const;
  // Of the step's time, over all stages. REQUIRES: it takes time.
  double bubble_share() const;
};

// `chunks`: by the model's chunk. REQUIRES: as many as the model has; the schedule has no fault.
PipelineTimes simulated(const PipelineSchedule& schedule, std::span<const ChunkTimes> chunks);
// What stages share. REQUIRES: both are above 0.
struct SharedBy {
  // Where more stages compute than this, each is as much slower: ranks of one host that has fewer
  // cores. Those that wait for a network do not count.
  double processors = 1;
  // Stages on each link of the network: a wait is as long as it is said to be where all of them
  // wait, and shorter where fewer do.
  double network = 1;

  // How many times as fast waits are while stages of `nstages` wait.
  double network_rate(double waiting, double nstages) const {
    const double on_link = waiting * network / nstages;
    return network / (on_link > 1 ? on_link : 1);
  }
};
// The same where they share. Their own share of the time is busy_us, the longer one.
PipelineTimes simulated_sharing(const PipelineSchedule& schedule,
                                std::span<const ChunkTimes> chunks, const SharedBy& shared);

// The most activations that a stage holds at once, in units of a micro-batch in a chunk. They
// follow from its list's order alone.
struct HeldActivations {
  int for_backward = 0;  // forward was made, backward or backward_input not
  int for_weights = 0;   // or the weights' gradient was not: of some activations
};
HeldActivations held_activations(std::span<const Operation> list);

}  // namespace linerate::trainers
