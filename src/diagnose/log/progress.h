// What lines say of a program that goes on: numbers of steps, and results.
#pragma once

#include <optional>
#include <string_view>

namespace linerate::logs {

// The number of a step, an iteration or an epoch, or of a progress bar: "step 120: loss 2.1",
// "iteration 5/ 500 |", "'epoch': 0.5", "45%|### | 450/1000 [".
std::optional<double> step_in(std::string_view text);

// Whether a line is mostly written at once, and not kept in a buffer: a state of a progress bar,
// and what looks like a logger's: a level with a time or a source.
bool is_unbuffered(std::string_view text);

// What a benchmark prints once all of its ranks have got their results, and a server once it has
// answered.
bool shows_results(std::string_view text);

}  // namespace linerate::logs
