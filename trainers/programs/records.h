// The lines of --jsonl: the keys are documented in docs/output-format.md, which a test compares.
#pragma once

#include "cli/train_config.h"
#include "job/rank_context.h"
#include "trainers/engine/trainer.h"
#include "trainers/pipeline/draw.h"
#include "trainers/programs/elastic.h"
#include "trainers/programs/peer_waits.h"
#include "trainers/programs/resident.h"
#include "trainers/programs/stage_waits.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace linerate {

// What a run is, as its first line says it.
struct TrainingRun {
  std::string run_id{}, program{};
  std::vector<std::string> args{};  // behind the program's name
  std::string start_time{};
  double peak_flops = 0;  // per second, of all ranks together
};

// What its last line says.
struct TrainingEnd {
  ExitCode exit_code = ExitCode::ok;
  std::size_t steps = 0;
  double tokens_per_s = 0, mfu = 0, hfu = 0;  // where there were steps
  double loss = 0;
  std::vector<PeerWaitShare> waited_for{};
  StageWaitShares bubbles{};
  std::vector<trainers::DrawnSpan> pipeline_step{};  // the last step; nothing: no pipeline
  MemoryUse resident{};
};

// A generation of --elastic that has gone on.
struct Recovery {
  const Generation& generation;
  std::uint64_t micro_batch = 0;  // sequences
  std::int64_t resumed_step = 0;
  std::int64_t steps_lost = 0;  // that are made once more
  double recovery_s = 0;        // from the first end that was seen until the state is back
};

double tokens_per_s(const trainers::StepResult& result);

// Lines, with their ends.
std::string run_line(const TrainingRun& run, const TrainOptions& options, const RankContext& rank,
                     const trainers::Trainer& trainer);
std::string step_line(const std::string& run_id, const trainers::StepResult& result);
std::string recovery_line(const std::string& run_id, const Recovery& recovery);
std::string end_line(const std::string& run_id, const TrainingEnd& end, trainers::Trainer& trainer);

}  // namespace linerate
