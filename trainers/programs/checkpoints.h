// The checkpoints of a run: what it goes on from, and when it saves.
#pragma once

#include "base/result.h"
#include "cli/train_config.h"
#include "job/rank_context.h"
#include "trainers/engine/trainer.h"

#include <cstdint>
#include <optional>

namespace linerate {

// What --resume says; nothing where the run begins anew. The sentence says why it cannot go on from
// there: damaged, or of another training.
Result<std::optional<trainers::Checkpoint>> checkpoint_to_resume(const TrainOptions& options);

// Collective: all ranks make the same calls.
class RunCheckpoints {
 public:
  // All references outlive it. Throws Error, exit code 2, where --checkpoint must not be written
  // to.
  RunCheckpoints(RankContext& rank, const CheckpointOptions& options, trainers::Trainer& trainer);

  // Begins to save where this step is due, and goes on with the save under way.
  void after_step();
  // Saves the last step, if it is not saved, and waits until all is on disk.
  void finish();

 private:
  void save();

  RankContext& rank_;
  const CheckpointOptions& options_;
  trainers::Trainer& trainer_;
  std::int64_t saved_step_ = 0;
  std::optional<trainers::Saver> saver_;
};

}  // namespace linerate
