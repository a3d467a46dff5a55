// Events are told against the step's first one, whose time the clock tells too.
#include "trainers/engine/recorder.h"

#include <cmath>
#include <map>
#include <utility>

namespace linerate::trainers {
namespace {

// Clocks that drift 10 ppm apart are 5 us apart after that; measuring takes some milliseconds.
constexpr std::int64_t kFreshNs = 500'000'000;

}  // namespace

Recorder::Recorder(RankContext& rank, ComputeStream& compute, std::vector<Axis*> axes)
    : rank_(rank), compute_(compute), axes_(std::move(axes)) {
  if (!several_hosts()) return;
  before_ = after_ = rank_.clock_offset(rank_.init_deadline());
  clock_error_us_ = rank_.max_of_threads(static_cast<double>(after_.error_ns) / kNsPerUs);
}

void Recorder::begin() {
  (void)compute_.take_waits();
  (void)compute_.take_work();
  for (auto* axis : axes_) {
    (void)axis->comm().take_calls();
    (void)axis->take_points();
  }
  before_ = after_;
  start_ = compute_.record();
  start_ns_ = rank_.clock().now_ns();
}

StepSpans Recorder::end() {
  compute_.synchronize(Deadline::never());
  const auto end = compute_.record();
  refresh_clock();
  StepSpans spans{.step = span(start_, end), .waits = take_waits()};
  for (const auto& work : compute_.take_work())
    spans.work.push_back({.what = work.what, .at = span(work.start, work.end)});
  for (auto* axis : axes_) take_calls(*axis, spans.calls);
  return spans;
}

// Rank 0 decides.
void Recorder::refresh_clock() {
  if (!several_hosts()) return;
  const bool stale = rank_.clock().now_ns() - after_.at_ns > kFreshNs;
  if (value_of_rank_0(rank_.bootstrap(), stale, Deadline::never()))
    after_ = rank_.clock_offset(Deadline::never());
}

TimeSpan Recorder::span(const Event& start, const Event& end) const {
  const auto common_ns = [&](const Event& event) {
    const auto since_ns = std::llround(elapsed_us(start_, event) * kNsPerUs);
    return to_common_ns(start_ns_ + since_ns, before_, after_);
  };
  return {common_ns(start), common_ns(end)};
}

// Each for the stream whose point it waited for.
std::vector<WaitSpan> Recorder::take_waits() const {
  struct Awaited {
    std::string_view stream{}, before{};
  };
  std::map<const Event::State*, Awaited> awaited;
  for (auto* axis : axes_)
    for (const auto& [at, before] : axis->take_points())
      awaited[at.state().get()] = {axis->title(), before ? before->title() : std::string_view()};
  std::vector<WaitSpan> waits;
  for (const auto& wait : compute_.take_waits()) {
    const auto found = awaited.find(wait.awaited.state().get());
    const auto of = found != awaited.end() ? found->second : Awaited{};
    waits.push_back({span(wait.start, wait.end), of.stream, of.before});
  }
  return waits;
}

// The ranks of an axis may have other numbers in the job.
void Recorder::take_calls(Axis& axis, std::vector<CallSpan>& into) const {
  const auto first = into.size();
  std::vector<std::int64_t> mine{rank_.rank()};
  for (const auto& call : axis.comm().take_calls()) {
    const auto at = span(call.start, call.end);
    into.push_back({.axis = call.axis,
                    .purpose = call.purpose,
                    .stream = axis.title(),
                    .bytes = call.bytes,
                    .start_ns = at.first,
                    .end_ns = at.second,
                    .last_start_ns = at.first,
                    .last_rank = rank_.rank()});
    mine.push_back(at.first);
  }
  std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(axis.nranks()));
  axis.comm().all_gather({.send = std::as_bytes(std::span(mine)),
                          .recv = std::as_writable_bytes(std::span(all)),
                          .count = mine.size(),
                          .type = DataType::int64,
                          .tag = axis.tag(kMetricsPurpose)},
                         axis.stream());
  axis.stream().synchronize(Deadline::never());
  for (auto theirs = all.begin(); theirs != all.end(); theirs += std::ssize(mine))
    for (auto i = first; i < into.size(); ++i) {
      const auto start_ns = theirs[1 + static_cast<std::ptrdiff_t>(i - first)];
      if (start_ns <= into[i].last_start_ns) continue;
      into[i].last_start_ns = start_ns;
      into[i].last_rank = static_cast<int>(*theirs);
    }
}

}  // namespace linerate::trainers
