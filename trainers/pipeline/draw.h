// A pipeline's step as text, a line for each stage, as papers draw schedules:
//   0 F0F1F2........B0--F3B1--..B2--..B3--
//   1 ..F0F1....B0--F2B1--F3B2--..B3--....
//   2 ....F0B0--F1B1--F2B2--F3B3--........
// F: forward, B: backward or backward_input, W: backward_weight; small letters for every other
// chunk. The number is the micro-batch: where room is short its last digit, or nothing. '-' goes on
// with an operation, '.' is an idle stage.
#pragma once

#include "trainers/pipeline/simulate.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace linerate::trainers {

// A computation, simulated or recorded.
struct DrawnSpan {
  int stage = 0;
  Operation operation{};
  double start_us = 0, end_us = 0;  // of one clock
};
std::vector<DrawnSpan> drawn_spans(const PipelineSchedule& schedule, const PipelineTimes& times);

// Not wider than `columns`, as wide as it needs to show each number where that is less. Lines end
// in a newline.
std::string drawn_pipeline(std::span<const DrawnSpan> spans, int stages, std::size_t columns);

}  // namespace linerate::trainers
