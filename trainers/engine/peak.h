// How fast a rank multiplies matrices: what utilisation is a share of.
#pragma once

#include "base/clock.h"
#include "comm/math.h"
#include "trainers/memory/arena.h"

namespace linerate::trainers {

// Floating-point operations per second of the best of a few square products, computed as the
// model's are. Takes a fraction of a second. All ranks call it at once, so that each has its share
// of the machine.
double measured_peak_flops(DataType type, Math& math, Arena& arena, Stream& stream,
                           const Clock& clock);

}  // namespace linerate::trainers
