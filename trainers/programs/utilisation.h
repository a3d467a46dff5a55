// Which share of the arithmetic that a machine can do a training does.
#pragma once

#include "comm/math.h"
#include "job/rank_context.h"
#include "trainers/engine/config.h"

#include <cstddef>

namespace linerate {

// Floating-point operations per second that all ranks together reach in matrix products, computed
// as the model's are, while all of them do. Takes a fraction of a second. Collective.
double measured_peak_flops(RankContext& rank, DataType type, Math& math);

// Shares of the peak: of the model's operations, and of all that the hardware does, with those of
// recomputation.
struct Utilisation {
  double mfu = 0, hfu = 0;
};

// By PaLM's convention: 6 N + 12 L h s.
Utilisation utilisation_of(const trainers::TrainConfig& train, double tokens_per_s,
                           double peak_flops);

}  // namespace linerate
