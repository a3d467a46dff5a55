// How long a layout's step takes on a machine: what each rank computes and calls (kernels.h,
// machine.h), in the order of the schedule that the trainers execute (trainers/pipeline), with the
// buckets and units in which they communicate.
//
// A chunk's forward and backward of a micro-batch are compute, and what of communication it waits
// for: all of tensor parallelism; of a ring of keys and values, and of parameters that are
// gathered, what is longer than the compute beside it. Stages wait for each other as
// trainers/pipeline/simulate.h says. Gradients are reduced bucket by bucket as the last backward
// completes them; what is left when it ends is exposed. Then come the norm, the optimizer and, in
// stages 1 and 2, the gathering of parameters.
// Where ranks share processors (Machine::processors), compute and calls are work that these must
// do: a rank has its share of them, a pipeline's stages what others leave. What a network takes
// needs none of them (LinkModel::network_us).
#pragma once

#include "plan/machine.h"
#include "plan/memory.h"
#include "trainers/pipeline/simulate.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace linerate::plan {

// Parts of a step, on the stage that ends last; they add up to it.
struct StepParts {
  double compute_us = 0;    // of forward and backward
  double tp_us = 0;         // of tensor parallelism, all of it exposed
  double cp_us = 0;         // of context parallelism, exposed
  double dp_us = 0;         // of gradients and parameters, exposed
  double bubble_us = 0;     // for other stages, and messages from them
  double optimizer_us = 0;  // with the norm

  double total_us() const { return compute_us + tp_us + cp_us + dp_us + bubble_us + optimizer_us; }
};
struct Prediction {
  double step_us = 0;
  StepParts parts{};
  double hidden_dp_us = 0;  // of gradients and parameters, what costs nothing
};

// What calls cost a rank: of a processor of its own, and of a network besides.
struct CallTime {
  double work_us = 0, network_us = 0;

  CallTime& operator+=(const CallTime& other) {
    work_us += other.work_us;
    network_us += other.network_us;
    return *this;
  }
  friend CallTime operator+(CallTime one, const CallTime& other) { return one += other; }
  friend CallTime operator*(double times, const CallTime& one) {
    return {times * one.work_us, times * one.network_us};
  }
};

// Of a chunk and a micro-batch, on a processor of its own.
struct PassCost {
  double compute_us = 0;
  CallTime tp{}, cp{}, dp{};

  CallTime calls() const { return tp + cp + dp; }
  double work_us() const { return compute_us + calls().work_us; }
  double total_us() const { return work_us() + calls().network_us; }
};
struct ChunkCost {
  PassCost forward{}, backward_input{}, backward_weight{};

  double total_us() const {
    return forward.total_us() + backward_input.total_us() + backward_weight.total_us();
  }
};

// A stage in the simulated step: when its last computation ends, and the last reduction of whole
// gradients; how long it computes, and of each of its chunks the last backward.
struct StageTimeline {
  double end_us = 0, busy_us = 0;
  double wait_us = 0;  // of busy_us, for a network
  double reduced_us = 0;
  std::vector<trainers::OperationSpan> last{};
};

// Used by one thread; the machine outlives it.
class Predictor {
 public:
  explicit Predictor(const Machine& machine) : machine_(machine), memory_(machine.nranks) {}

  MemoryModel& memory() { return memory_; }
  // No step of the layout is shorter: what its slowest stage computes, and waits for its first
  // activation and last gradient. Much faster than predict().
  double least_us(const trainers::TrainConfig& config);
  Prediction predict(const trainers::TrainConfig& config);

 private:
  std::vector<ChunkCost> costs_of(const trainers::TrainConfig& config);
  CallTime call(CallKind call, CallGroup group, double bytes) const;
  double optimizer_us(const trainers::TrainConfig& config, int stage);
  CallTime reduction(const trainers::TrainConfig& config, std::uint64_t elements) const;
  void reduce(const trainers::TrainConfig& config, std::vector<StageTimeline>& stages);
  double gather_us(const trainers::TrainConfig& config, const StageState& state) const;
  Prediction of_stage(const trainers::TrainConfig& config, int stage, const PassCost& cost,
                      const StageTimeline& time);

  const Machine& machine_;
  MemoryModel memory_;
};

// What takes most of a step besides compute; "compute" where that takes `kBindingShare` of it.
inline constexpr double kBindingShare = 0.85;
std::string_view binding_of(const StepParts& parts);

}  // namespace linerate::plan
