// Launches of benchmarks with settings, for searches: `linerate tune`.
#pragma once

#include "commands/command.h"
#include "commands/scratch_folder.h"
#include "commands/turns_progress.h"
#include "sweep/study.h"
#include "tune/search.h"

#include <cstddef>
#include <optional>

namespace linerate {

// Each launch is a run of a study's tool in fresh processes.
class TuneLauncher {
 public:
  // `study` has one number of nodes and of ranks, one range of sizes and one backend. `most`: of
  // launches, for progress.
  TuneLauncher(const CommandInput& input, const sweep::Study& study, double limit_s,
               TurnsProgress progress)
      : input_(input), study_(study), limit_s_(limit_s), progress_(std::move(progress)) {}

  // The time of a size is the geometric mean over its placements, of the medians of their samples.
  // Wrong data, a crash and a run beyond the limit are failures. Throws Error where this process is
  // asked to end.
  tuning::Run run(const Collective& collective, const tuning::Variables& variables);

  // `base` are variables of every launch, which the launch's own replace.
  tuning::Launch with(const tuning::Variables& base);

 private:
  const CommandInput& input_;
  const sweep::Study& study_;
  const double limit_s_;
  TurnsProgress progress_;
  ScratchFolder scratch_;
};

}  // namespace linerate
