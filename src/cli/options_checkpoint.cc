// The options of the trainers' checkpoints.
#include "cli/option.h"
#include "cli/train_config.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kMaxSavedSteps = 1'000'000'000;

template <std::int64_t kFirst, auto Member>
constexpr auto kSetWhole =
    set_whole_of<TrainOptions, kFirst, kMaxSavedSteps, &TrainOptions::checkpoints, Member>;

Refusal set_resume(const Argument& given, TrainOptions& options) {
  return set_file(given, options.checkpoints.resume);
}

constexpr auto kCheckpointRows = std::to_array<OptionRow>({
    {.long_name = "checkpoint",
     .metavar = "DIR",
     .help = "save parameters and optimizer in this folder, beside the training and after the last "
             "step",
     .note = "Each checkpoint is a folder, DIR/step-000100, which appears when it is complete. "
             "Ranks of all nodes need the same folder.",
     .apply = set_file_of<TrainOptions, &TrainOptions::checkpoints, &CheckpointOptions::folder>},
    {.long_name = "checkpoint-every",
     .metavar = "N",
     .default_text = "100",
     .help = "steps from one checkpoint to the next",
     .belongs_to = "checkpoint",
     .apply = kSetWhole<1, &CheckpointOptions::every>},
    {.long_name = "keep",
     .metavar = "N",
     .default_text = "0",
     .help = "newest checkpoints that are kept: older ones are removed once a newer one is "
             "complete; 0: all",
     .belongs_to = "checkpoint",
     .apply = kSetWhole<0, &CheckpointOptions::keep>},
    {.long_name = "resume",
     .metavar = "auto|PATH",
     .help = "go on from a checkpoint: the newest of --checkpoint, or the folder of a step",
     .note =
         "Ranks, stage, backend and --precision (but for double) may be others than it was saved "
         "with; model, data, batch and seed must be the same. auto begins anew where there is no "
         "checkpoint.",
     .apply = set_resume},
});

}  // namespace

std::span<const OptionRow> checkpoint_options() { return kCheckpointRows; }

Refusal check_checkpoints(const CheckpointOptions& options) {
  if (options.resume == kResumeNewest && options.folder.empty())
    return "--resume auto needs --checkpoint DIR, whose newest checkpoint it takes.";
  return {};
}

}  // namespace linerate
