// What is said of a training without starting it: --list and --dry-run.
#pragma once

#include "cli/train_config.h"

#include <string>

namespace linerate {

// --list: a line for each model, source of data and backend.
std::string trainer_list_text();

// --dry-run, of a job of `nranks`: parameters, buckets, and for each rank what a step sends and
// what memory holds, by the closed forms that --assert-accounting holds the run to.
std::string training_plan_text(const TrainOptions& options, int nranks);

}  // namespace linerate
