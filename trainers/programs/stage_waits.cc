#include "trainers/programs/stage_waits.h"

#include "base/wire.h"
#include "trainers/engine/plan.h"

#include <algorithm>
#include <cstdint>

namespace linerate {
namespace {

double share_of_bubble(double waited_us, double computed_us) {
  return waited_us > 0 ? waited_us / (waited_us + computed_us) : 0;
}

// Of a span of work, without the waits within it.
std::int64_t worked_ns(const trainers::TimeSpan& at, const trainers::StepSpans& spans) {
  auto worked_ns = at.second - at.first;
  for (const auto& [wait, stream, before] : spans.waits)
    worked_ns -= std::max<std::int64_t>(
        0, std::min(at.second, wait.second) - std::max(at.first, wait.first));
  return worked_ns;
}

}  // namespace

void StageWaits::add(const trainers::StepTime& time, const trainers::StepSpans& spans) {
  using trainers::Work;
  for (const auto& purpose : time.purposes)
    if (purpose.axis == trainers::kPipelineAxisName) waited_us_ += purpose.exposed_us();
  for (const auto& [what, at] : spans.work)
    if (what.work == Work::data || what.work == Work::forward || what.work == Work::backward)
      computed_us_ += static_cast<double>(worked_ns(at, spans)) * 1e-3;
}

StageWaitShares StageWaits::shares(Bootstrap& ranks, int stage, const std::string& schedule,
                                   const trainers::Pipeline& pipeline) const {
  WireWriter mine;
  mine.put(stage).put(waited_us_).put(computed_us_);
  const auto gathered = ranks.gather(mine.bytes(), Deadline::never());
  if (gathered.empty() || pipeline.stages == 1) return {};
  const auto count = static_cast<std::size_t>(pipeline.stages);
  std::vector<double> waited_us(count), computed_us(count);
  double all_waited_us = 0, all_computed_us = 0;
  for (const auto& bytes : gathered) {
    WireReader theirs(bytes);
    const auto of = static_cast<std::size_t>(theirs.get<int>());
    const auto waited = theirs.get<double>(), computed = theirs.get<double>();
    waited_us[of] += waited;
    computed_us[of] += computed;
    all_waited_us += waited;
    all_computed_us += computed;
  }
  StageWaitShares shares{.all = share_of_bubble(all_waited_us, all_computed_us)};
  for (std::size_t i = 0; i < count; ++i)
    shares.stages.push_back(share_of_bubble(waited_us[i], computed_us[i]));
  const auto kinds = trainers::schedule_kinds();
  const auto kind = std::ranges::find(kinds, schedule, &trainers::ScheduleKind::name);
  const trainers::ChunkTimes equal{
      .forward_us = 1, .backward_input_us = 1, .backward_weight_us = 1};
  shares.by_schedule = trainers::bubble_share(kind->bubble_us(pipeline, equal), pipeline, equal);
  return shares;
}

}  // namespace linerate
