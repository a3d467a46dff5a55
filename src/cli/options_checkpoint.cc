// The options of the trainers' checkpoints.
#include "cli/option.h"
#include "cli/train_config.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kMaxSavedSteps = 1'000'000'000;
constexpr std::int64_t kMaxRestarts = 1'000'000;

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
    {.long_name = "elastic",
     .help = "where ranks are lost, go on from the newest checkpoint with those that are left",
     .note = "With --nprocs, or ranks that are started one by one. The global batch stays as it "
             "is; --tp, --cp and --pp do, too, while enough ranks are left: see [losing a "
             "rank](trainers.md#losing-a-rank). Where memory is short, micro-batches are halved.",
     .belongs_to = "checkpoint",
     .apply = set_flag<TrainOptions, &TrainOptions::elastic, &ElasticOptions::on>},
    {.long_name = "max-restarts",
     .metavar = "N",
     .default_text = "3",
     .help = "so often at most",
     .belongs_to = "elastic",
     .apply = set_whole_of<TrainOptions, 0, kMaxRestarts, &TrainOptions::elastic,
                           &ElasticOptions::max_restarts>},
    {.long_name = "min-ranks",
     .metavar = "N",
     .default_text = "1",
     .help = "end where fewer are left",
     .belongs_to = "elastic",
     .apply = set_whole_of<TrainOptions, 1, kMaxRanks, &TrainOptions::elastic,
                           &ElasticOptions::min_ranks>},
});

}  // namespace

std::span<const OptionRow> checkpoint_options() { return kCheckpointRows; }

Refusal check_checkpoints(const TrainOptions& options) {
  if (options.checkpoints.resume == kResumeNewest && options.checkpoints.folder.empty())
    return "--resume auto needs --checkpoint DIR, whose newest checkpoint it takes.";
  if (options.elastic.on && options.ranks_per_process() > 1)
    return "--elastic needs each rank in a process of its own, because the threads of one die "
           "together: leave -t and -g out, and give --nprocs N.";
  return {};
}

}  // namespace linerate
