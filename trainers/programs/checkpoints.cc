#include "trainers/programs/checkpoints.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

namespace linerate {
namespace {

// Disks take their time; a rank that dies meanwhile is noticed all the same.
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Empty where there is none to go on from.
std::filesystem::path folder_to_resume(const CheckpointOptions& options) {
  if (options.resume != kResumeNewest) return options.resume;
  const auto steps = trainers::steps_in(options.folder);
  return steps.empty() ? std::filesystem::path()
                       : trainers::step_folder(options.folder, steps.back());
}

}  // namespace

Result<std::optional<trainers::Checkpoint>> checkpoint_to_resume(const TrainOptions& options) {
  const auto folder = folder_to_resume(options.checkpoints);
  if (folder.empty()) return std::optional<trainers::Checkpoint>();
  auto checkpoint = trainers::open_checkpoint(folder);
  if (!checkpoint) return checkpoint.failure();
  const auto own =
      trainers::manifest_of(options.train, trainers::parameters_of(options.train.model));
  if (const auto what = difference(checkpoint->manifest, own))
    return Failure{fmt::format("Cannot resume from '{}': {}", folder.string(), *what)};
  return std::optional(*std::move(checkpoint));
}

RunCheckpoints::RunCheckpoints(RankContext& rank, const CheckpointOptions& options,
                               trainers::Trainer& trainer)
    : rank_(rank), options_(options), trainer_(trainer), saved_step_(trainer.steps_done()) {
  if (options.folder.empty()) return;
  saver_.emplace(rank.bootstrap(),
                 trainers::SaverOptions{
                     .folder = options.folder, .keep = options.keep, .step = trainer.steps_done()});
}

void RunCheckpoints::after_step() {
  if (!saver_) return;
  saver_->poll();
  if (trainer_.steps_done() % options_.every == 0) save();
}

void RunCheckpoints::finish() {
  if (!saver_) return;
  if (saved_step_ < trainer_.steps_done()) save();
  rank_.enter({.what = "checkpoint", .timeout_s = kNoLimit});
  saver_->finish();
}

void RunCheckpoints::save() {
  rank_.enter({.what = "checkpoint", .timeout_s = kNoLimit});
  saver_->save([&] { return trainer_.snapshot(); });
  saved_step_ = trainer_.steps_done();
}

}  // namespace linerate
