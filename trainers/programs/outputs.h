// What a trainer's rank 0 prints and writes: a table of steps on stdout, progress on stderr, and
// JSON Lines.
#pragma once

#include "base/clock.h"
#include "cli/train_config.h"
#include "commands/live_progress.h"
#include "job/rank_context.h"
#include "output/text_file.h"
#include "record/health.h"
#include "trainers/engine/trainer.h"
#include "trainers/programs/elastic.h"
#include "trainers/programs/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

class TrainOutputs {
 public:
  // `jsonl` may be null. All references outlive it.
  TrainOutputs(TrainingRun run, const TrainOptions& options, const trainers::Source& source,
               TextFile* jsonl);

  // Prints the heading.
  void begin(const RankContext& rank, const trainers::Trainer& trainer);
  // Of a generation of --elastic, which goes on after a loss.
  void recovered(const Generation& generation, const trainers::Trainer& trainer);
  void step(const trainers::StepResult& result);
  // What moved on the job's nodes, with --watch-health.
  void health(std::vector<NodeHealth> nodes);
  // The summary, with what `end` has of the run as a whole; what is of its steps is added.
  void end(trainers::Trainer& trainer, TrainingEnd end);

 private:
  void print(const std::string& text);
  bool has_row(std::int64_t step);
  void plan_progress(std::int64_t steps);
  void summarise(TrainingEnd& end);
  void print_waits(const std::vector<PeerWaitShare>& waited_for);
  void print_bubbles(const StageWaitShares& bubbles);
  void print_pipeline(const std::vector<trainers::DrawnSpan>& step, int stages);

  const TrainingRun run_;
  const TrainOptions& options_;
  const trainers::Source& source_;
  TextFile* const jsonl_;
  LiveProgress progress_;
  const bool on_terminal_;  // so that rows that nobody can read are left out
  SteadyClock clock_;
  std::int64_t row_ns_ = 0, rows_ = 0;
  std::vector<double> step_us_, exposed_;  // of all steps; the share that is exposed
  std::uint64_t tokens_ = 0;               // of the last step, as is the loss
  double loss_ = 0;
};

}  // namespace linerate
