// How long the stages of a pipeline waited for each other, over all steps of a run, beside what
// their schedule makes them wait.
#pragma once

#include "comm/bootstrap.h"
#include "trainers/engine/recorder.h"
#include "trainers/pipeline/schedule.h"

#include <string>
#include <vector>

namespace linerate {

// Shares of the time in which a stage computed micro-batches or waited for another one: bubbles.
struct StageWaitShares {
  std::vector<double> stages{};  // of each, over its ranks; empty: there is no pipeline
  double all = 0;                // of all stages
  double by_schedule = 0;        // the closed form, for stages that take equally long
};

// Of one rank. Used by its thread.
class StageWaits {
 public:
  void add(const trainers::StepTime& time, const trainers::StepSpans& spans);

  // On rank 0; else nothing. Collective.
  StageWaitShares shares(Bootstrap& ranks, int stage, const std::string& schedule,
                         const trainers::Pipeline& pipeline) const;

 private:
  double waited_us_ = 0, computed_us_ = 0;
};

}  // namespace linerate
