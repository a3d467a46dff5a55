// A training of a tiny model, ranks being threads, and all that its checks compare.
#pragma once

#include "base/error.h"
#include "trainers/engine/trainer.h"
#include "unit/trainers/engine/tiny_training.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linerate::trainers {

struct Run {
  TrainConfig config{};
  int nranks = 1;
  std::int64_t save_after = 0;  // step; 0: nothing is saved
  std::string folder{};         // of checkpoints
  bool resumes = false;         // from the step `save_after` of `folder`
};

struct OutcomeOfRank {
  std::vector<StepResult> steps{};
  LossScaleState loss_scale{};
  std::vector<std::byte> parameters{};  // in full precision, that this rank steps
};

struct Outcome {
  ExitCode code = ExitCode::ok;
  std::string said{};  // on stderr
  std::vector<OutcomeOfRank> ranks{};
  TinyState state{};  // of all ranks

  std::vector<double> losses() const;
  std::vector<double> norms() const;
};

// Six sequences a step, three steps, buckets of a few KiB.
TrainConfig tiny(bool llama = false);
Outcome train(const Run& run);

}  // namespace linerate::trainers
