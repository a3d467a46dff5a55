#include "trainers/optimizer/loss_scale.h"

#include <algorithm>

namespace linerate::trainers {

void LossScale::update(bool overflow) {
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
