// Runs ranks as threads of the host backend.
#include "training.h"

#include "trainers/checkpoint/saver.h"

#include <gtest/gtest.h>

#include <mutex>

namespace linerate::trainers {
namespace {

OutcomeOfRank run_rank(RankContext& rank, Trainer& trainer, const Run& run) {
  OutcomeOfRank outcome;
  const auto checkpoint = step_folder(run.folder, run.save_after);
  if (run.resumes) {
    const auto saved = open_checkpoint(checkpoint);
    if (!saved) throw Error(saved.sentence());
    trainer.resume(*saved);
  }
  while (trainer.steps_done() < run.config.steps) {
    outcome.steps.push_back(trainer.step());
    if (run.resumes || trainer.steps_done() != run.save_after) continue;
    Saver saver(rank.bootstrap(), {.folder = run.folder});
    saver.save([&] { return trainer.snapshot(); });
    saver.finish();
  }
  for (const auto& [slice, array] : trainer.parameters())
    outcome.parameters.insert(outcome.parameters.end(), array.data, array.from(slice.count).data);
  return outcome;
}

std::vector<double> of_steps(const Outcome& outcome, double StepResult::*member) {
  std::vector<double> values;
  if (outcome.ranks.empty()) return values;
  for (const auto& step : outcome.ranks.front().steps) values.push_back(step.*member);
  return values;
}

}  // namespace

std::vector<double> Outcome::losses() const { return of_steps(*this, &StepResult::loss); }
std::vector<double> Outcome::norms() const { return of_steps(*this, &StepResult::norm); }

TrainConfig tiny(bool llama) {
  auto config = tiny_training(llama);
  config.micro_batch = 1;
  config.model.length = config.data.length = 16;
  config.assert_accounting = false;
  return config;
}

Outcome train(const Run& run) {
  Outcome outcome;
  outcome.ranks.resize(static_cast<std::size_t>(run.nranks));
  std::mutex mutex;
  const auto body = [&](RankContext& rank, Trainer& trainer) {
    auto of_rank = run_rank(rank, trainer, run);
    const auto snapshot = trainer.snapshot();
    of_rank.loss_scale = snapshot.manifest.loss_scale;
    const std::lock_guard lock(mutex);
    add_to(outcome.state, trainer.table(), snapshot);
    outcome.ranks[static_cast<std::size_t>(rank.rank())] = std::move(of_rank);
  };
  ::testing::internal::CaptureStderr();
  // Tensor parallelism cuts these small matrices as no library keeps the bits of.
  const TinyHooks in_fixed_blocks{
      .math = [](int) { return make_cpu_math({.fixed_blocks = true}); }};
  outcome.code = on_trainers(host_threads(run.nranks), run.config, body, in_fixed_blocks);
  outcome.said = ::testing::internal::GetCapturedStderr();
  return outcome;
}

}  // namespace linerate::trainers
