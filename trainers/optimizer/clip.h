// Clipping by the global norm of all gradients (Pascanu et al. 2013).
#pragma once

#include <cassert>
#include <cmath>

namespace linerate::trainers {

// Norm of gradients of this sum of squares that are divided by `divisor` before use: the number of
// tokens that count, times the loss scale. REQUIRES: divisor > 0. Infinite or NaN where a gradient
// is.
inline double global_norm(double square_sum, double divisor) {
  return std::sqrt(square_sum) / divisor;
}

// What gradients of this norm are multiplied by so that it is at most `most`; 0: no limit.
// REQUIRES: norm is finite: else the step is skipped.
inline double clip_factor(double norm, double most) {
  assert(std::isfinite(norm));
  return most > 0 && norm > most ? most / norm : 1;
}

}  // namespace linerate::trainers
