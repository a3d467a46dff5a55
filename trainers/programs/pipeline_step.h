// The last step of a pipeline as it ran.
#pragma once

#include "comm/bootstrap.h"
#include "trainers/engine/trainer.h"
#include "trainers/pipeline/draw.h"

#include <vector>

namespace linerate {

// The computations of all stages, on the first rank of each, by stage and time; the first one
// begins at 0. On rank 0, where there is a pipeline and was a step; else nothing. Collective.
std::vector<trainers::DrawnSpan> recorded_step(Bootstrap& ranks, const trainers::Trainer& trainer);

}  // namespace linerate
