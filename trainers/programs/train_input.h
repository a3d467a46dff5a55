// From a trainer's words, and the files that they name, to what all its ranks must agree on.
#pragma once

#include "base/environment.h"
#include "cli/train_config.h"
#include "job/processes.h"

#include <string>
#include <vector>

namespace linerate {

Result<TrainOptions> train_options_of(const std::vector<std::string>& words, TrainProgram program);

// One line on stderr, of rank 0's process.
void say_what_has_no_effect(const TrainOptions& options, const Environment& environment);

// On so many ranks, where --plan asks for it: the layout that is predicted to be the fastest.
// REQUIRES: what the options say of a layout are the defaults.
Refusal settle_layout(TrainOptions& options, int nranks);

// settle_layout() and settle_batch() on the ranks that a launcher, or the options, start.
Refusal settle_for_job(TrainOptions& options, const Environment& environment);

// Why so many ranks cannot train so: as a mesh, or because one is named that is not among them.
Refusal job_refusal(const trainers::TrainConfig& train, int nranks);
// The same before they start, where this process starts all of them. Of those that a launcher has
// started each would say it: nothing.
Refusal refused_before_start(const TrainOptions& options, const Environment& environment);

// What would train something else, or hang, where processes are started with different words.
std::vector<Setting> shared_settings(const TrainOptions& options);

}  // namespace linerate
