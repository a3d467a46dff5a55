// Which layout trains a model fastest on a machine, before anyone starts it.
//
// The files, in the order in which a plan is made:
//   layouts.h           all layouts that the trainers would run, as their own configuration
//   memory.h            what a rank holds, by the trainers' closed forms
//   machine.h           how fast a machine computes and communicates; gpu_machine.h, of data sheets
//                       and NCCL's model; measured_machine.h, of the suite's benchmarks here
//   kernels.h, costs.h  what a chunk of the model costs a rank
//   predict.h           the step, by the schedules that the trainers execute
//   plan.h              the best ones, and why others do not fit
//   plan_text.h         tables and JSON
// Nothing here was measured by a trainer.
#pragma once

#include "base/result.h"
#include "plan/machine.h"
#include "plan/predict.h"
#include "trainers/engine/config.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace linerate::plan {

// What does not change from layout to layout: `training` has the model, the global batch and the
// type of its elements.
struct Task {
  trainers::TrainConfig training{};
  std::size_t most = 10;  // layouts to name
};

struct Candidate {
  trainers::TrainConfig config{};
  MemoryParts memory{};
  Prediction prediction{};
};

struct Plan {
  std::vector<Candidate> best{};    // the fastest first
  std::size_t legal = 0, fits = 0;  // layouts
  std::size_t simulated = 0;        // of those that fit; no other can be among the best
  std::map<std::string, std::size_t> refused{};  // why, and how many of which mesh
  std::vector<Candidate>
      too_large{};  // for each number of ranks that share a model what needs least
};

// The layouts that fit into the memory of a rank of the machine, with the least recomputation that
// this takes; where it has nodes, in all orders of the mesh. How fast it is does not matter.
// REQUIRES: the model has no refusal.
std::vector<trainers::TrainConfig> fitting_layouts(const Task& task, const Machine& machine);

// REQUIRES: the model has no refusal, and the machine has as many ranks as it says.
Plan plan_for(const Task& task, const Machine& machine);

// What --plan of a trainer and `distributed_strategy: auto` ask: the fastest layout that fits, or
// the sentence that says why none does.
Result<trainers::TrainConfig> best_layout(const Task& task, const Machine& machine);

// What plans choose: the layout's part of a configuration.
void take_layout(const trainers::TrainConfig& layout, trainers::TrainConfig& into);

// Of one layout, whether it fits or not. REQUIRES: the trainers do not refuse it.
Candidate examined(const trainers::TrainConfig& config, const Machine& machine);

// The options that make a trainer run the layout: "--tp 2 --zero 1 --micro-batch 2".
std::string options_of(const trainers::TrainConfig& config);

}  // namespace linerate::plan
