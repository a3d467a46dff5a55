#include "trainers/pipeline/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace linerate::trainers {
namespace {

// From a moment to a column.
struct Scale {
  double start_us = 0, per_us = 0;

  std::size_t column(double at_us) const {
    return static_cast<std::size_t>(std::lround((at_us - start_us) * per_us));
  }
};

// The shortest span gets a whole number of columns where it gets one, at most `enough`.
Scale scale_for(std::span<const DrawnSpan> spans, double enough, double columns) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double start_us = kNever, end_us = -kNever, shortest_us = kNever;
  for (const auto& span : spans) {
    start_us = std::min(start_us, span.start_us);
    end_us = std::max(end_us, span.end_us);
    const double took_us = span.end_us - span.start_us;
    if (took_us > 0) shortest_us = std::min(shortest_us, took_us);
  }
  if (shortest_us == kNever) return {};
  const double most = columns / (end_us - start_us);
  const double of_shortest = std::floor(std::min(enough, most * shortest_us));
  return {start_us, of_shortest >= 1 ? of_shortest / shortest_us : most};
}

std::string block(const Operation& operation, std::size_t columns) {
  const bool weight = operation.action == Action::backward_weight;
  char letter = operation.action == Action::forward ? 'F' : weight ? 'W' : 'B';
  if (operation.chunk % 2 == 1) letter = static_cast<char>(letter - 'A' + 'a');
  auto number = std::to_string(operation.micro_batch);
  if (1 + number.size() > columns) number = number.back();
  return fmt::format("{:-<{}}", letter + number, columns).substr(0, columns);
}

}  // namespace

std::vector<DrawnSpan> drawn_spans(const PipelineSchedule& schedule, const PipelineTimes& times) {
  std::vector<DrawnSpan> spans;
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
    for (std::size_t i = 0; i < schedule.stages[stage].size(); ++i) {
      const auto& operation = schedule.stages[stage][i];
      const auto [start_us, end_us] = times.stages[stage].operations[i];
      if (is_computation(operation.action))
        spans.push_back({static_cast<int>(stage), operation, start_us, end_us});
    }
  return spans;
}

std::string drawn_pipeline(std::span<const DrawnSpan> spans, int stages, std::size_t columns) {
  int micro_batches = 1;
  for (const auto& span : spans)
    micro_batches = std::max(micro_batches, span.operation.micro_batch + 1);
  const auto digits = [](int number) { return std::to_string(number).size(); };
  const auto label = digits(stages - 1) + 1;
  const auto room = columns > label ? columns - label : 1;
  const auto scale = scale_for(spans, static_cast<double>(1 + digits(micro_batches - 1)),
                               static_cast<double>(room));
  std::vector<std::string> lines(static_cast<std::size_t>(stages));
  std::size_t width = 0;
  for (const auto& span : spans) width = std::max(width, scale.column(span.end_us));
  for (auto& line : lines) line.assign(width, '.');
  for (const auto& span : spans) {
    const auto from = scale.column(span.start_us);
    const auto count = scale.column(span.end_us) - from;
    lines[static_cast<std::size_t>(span.stage)].replace(from, count, block(span.operation, count));
  }
  std::string text;
  for (int stage = 0; stage < stages; ++stage)
    text += fmt::format("{:>{}} {}\n", stage, label - 1, lines[static_cast<std::size_t>(stage)]);
  return text;
}

}  // namespace linerate::trainers
