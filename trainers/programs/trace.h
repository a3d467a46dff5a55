// --trace FILE: what all ranks did in some of the steps, for Perfetto or chrome://tracing.
#pragma once

#include "cli/train_config.h"
#include "job/rank_context.h"
#include "output/text_file.h"
#include "trainers/engine/trainer.h"
#include "trainers/programs/trace_events.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate {

// Rank 0 writes the file, for all ranks of all hosts. After each step it is whole: whatever ends
// the run leaves valid JSON. Used by the rank's thread; all calls are collective.
class Trace {
 public:
  // All references outlive it. Rank 0 throws Error, exit code 2, where the file cannot be written.
  Trace(RankContext& rank, const TraceOptions& options, const trainers::Trainer& trainer);

  // After a step.
  void step(const trainers::StepResult& result);

 private:
  void write(std::string_view text);

  RankContext& rank_;
  const TraceOptions& options_;
  const trainers::Trainer& trainer_;
  TraceEvents events_;
  std::optional<std::int64_t> origin_ns_;  // of the first step's first rank
  std::optional<TextFile> file_;           // of rank 0
  std::size_t bytes_ = 0;                  // written
  bool any_ = false, full_ = false;
};

}  // namespace linerate
