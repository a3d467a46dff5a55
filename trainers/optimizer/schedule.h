// The learning rate of each step: warm-up, then a decay.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>

namespace linerate::trainers {

enum class Decay : std::uint8_t { constant, linear, cosine };
// "constant", "linear", "cosine".
Result<Decay> parse_decay(std::string_view text);

// Rises linearly to `peak` at step `warmup_steps`, then falls to `floor` at step `steps`, and stays
// there. cosine: half a wave (Loshchilov & Hutter 2017). constant: stays at `peak`.
struct Schedule {
  Decay decay = Decay::cosine;
  double peak = 1e-3, floor = 0;
  std::int64_t warmup_steps = 0, steps = 0;

  // `step` counts from 1, as AdamW's does.
  double lr(std::int64_t step) const;
};

}  // namespace linerate::trainers
