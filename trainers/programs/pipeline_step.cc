#include "trainers/programs/pipeline_step.h"

#include "base/wire.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>

namespace linerate {
namespace {

using trainers::DrawnSpan;
using trainers::Work;

// A computation is what was done for its units, one after the other.
std::vector<DrawnSpan> own_spans(const trainers::Trainer& trainer) {
  std::map<std::size_t, trainers::TimeSpan> at;  // by the place in the stage's list
  for (const auto& [what, span] : trainer.spans().work)
    if (what.work == Work::forward || what.work == Work::backward)
      at.try_emplace(what.operation, span).first->second.second = span.second;
  const int stage = trainer.position().stage;
  const auto& list = trainer.schedule().stages[static_cast<std::size_t>(stage)];
  std::vector<DrawnSpan> spans;
  for (const auto& [place, span] : at)
    spans.push_back({stage, list[place], static_cast<double>(span.first) * 1e-3,
                     static_cast<double>(span.second) * 1e-3});
  return spans;
}

}  // namespace

std::vector<DrawnSpan> recorded_step(Bootstrap& ranks, const trainers::Trainer& trainer) {
  if (trainer.pipeline().stages == 1) return {};
  const bool is_first = trainer.position().pipeline() == 0;
  const auto own = is_first ? own_spans(trainer) : std::vector<DrawnSpan>();
  WireWriter mine;
  mine.put_all(std::span(own));
  std::vector<DrawnSpan> all;
  for (const auto& bytes : ranks.gather(mine.bytes(), Deadline::never()))
    for (const auto& span : WireReader(bytes).get_all<DrawnSpan>()) all.push_back(span);
  double first_us = std::numeric_limits<double>::infinity();
  for (const auto& span : all) first_us = std::min(first_us, span.start_us);
  for (auto& span : all) {
    span.start_us -= first_us;
    span.end_us -= first_us;
  }
  std::ranges::sort(all, {},
                    [](const DrawnSpan& span) { return std::tuple(span.stage, span.start_us); });
  return all;
}

}  // namespace linerate
