// How long kernels of the host's Math take, while some threads compute the same at once, as ranks
// do. The arrays of each call lie elsewhere in a pool that caches do not hold.
#pragma once

#include "plan/kernels.h"

#include <vector>

namespace linerate {

// Of each kernel the lower quartile of some calls on the first thread.
std::vector<double> math_times_us(const std::vector<plan::Kernel>& kernels, int threads);

}  // namespace linerate
