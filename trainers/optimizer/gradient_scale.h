// What gradients are multiplied by: clipping by their global norm, and the loss scale of float16.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace linerate::trainers {

// Norm of gradients of this sum of squares that are divided by `divisor` before use: the number of
// tokens that count, times the loss scale. REQUIRES: divisor > 0. Infinite or NaN where a gradient
// is.
inline double global_norm(double square_sum, double divisor) {
  return std::sqrt(square_sum) / divisor;
}

// Clipping (Pascanu et al. 2013): what gradients of this norm are multiplied by so that it is at
// most `most`; 0: no limit. REQUIRES: norm is finite: else the step is skipped.
inline double clip_factor(double norm, double most) {
  assert(std::isfinite(norm));
  return most > 0 && norm > most ? most / norm : 1;
}

// Dynamic loss scale for float16 gradients (Micikevicius et al. 2018), with the hysteresis of
// Megatron-LM.
struct LossScaleOptions {
  double initial = 65536;
  std::int64_t window = 1000;   // steps without overflow after which the scale doubles
  std::int64_t hysteresis = 2;  // overflows since then until it halves, at each from there on
  double floor = 1, ceiling = 4294967296.0;
};

// Its whole state, as checkpoints hold it. The same on all ranks, since an overflow on one is told
// to all.
struct LossScaleState {
  double scale = 65536;
  std::int64_t clean_steps = 0;  // since the scale changed last, or an overflow
  std::int64_t overflows = 0;    // since the scale doubled last

  bool operator==(const LossScaleState&) const = default;
};

class LossScale {
 public:
  explicit LossScale(const LossScaleOptions& options = {})
      : options_(options), state_{.scale = options.initial} {}

  double scale() const { return state_.scale; }
  // After each step; `overflow`: a gradient of any rank was infinite or NaN, and the step was
  // skipped.
  void update(bool overflow);

  const LossScaleState& state() const { return state_; }
  void restore(const LossScaleState& state) { state_ = state; }

 private:
  LossScaleOptions options_;
  LossScaleState state_;
};

inline void LossScale::update(bool overflow) {
  if (overflow) {
    state_.clean_steps = 0;
    ++state_.overflows;
    if (state_.overflows >= options_.hysteresis)
      state_.scale = std::max(state_.scale / 2, options_.floor);
    return;
  }
  ++state_.clean_steps;
  if (state_.clean_steps < options_.window) return;
  state_.clean_steps = state_.overflows = 0;
  state_.scale = std::min(state_.scale * 2, options_.ceiling);
}

}  // namespace linerate::trainers
