// Dynamic loss scale for float16 gradients (Micikevicius et al. 2018), with the hysteresis of
// Megatron-LM.
#pragma once

#include <cstdint>

namespace linerate::trainers {

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

}  // namespace linerate::trainers
