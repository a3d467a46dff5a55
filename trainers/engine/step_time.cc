// Waits and calls are both gone through once, in the order of their starts.
#include "trainers/engine/step_time.h"

#include <algorithm>
#include <numeric>

namespace linerate::trainers {
namespace {

double us(std::int64_t ns) { return static_cast<double>(ns) * 1e-3; }

std::int64_t within(const TimeSpan& span, std::int64_t first, std::int64_t last) {
  return std::max<std::int64_t>(0, std::min(last, span.second) - std::max(first, span.first));
}

PurposeTime& entry(std::vector<PurposeTime>& purposes, const CallSpan& call) {
  const auto found = std::ranges::find_if(purposes, [&](const PurposeTime& one) {
    return one.purpose == call.purpose && one.axis == call.axis;
  });
  if (found != purposes.end()) return *found;
  return purposes.emplace_back(
      PurposeTime{.axis = std::string(call.axis), .purpose = std::string(call.purpose)});
}

PeerWait& entry(std::vector<PeerWait>& peers, int rank) {
  const auto found = std::ranges::find(peers, rank, &PeerWait::rank);
  return found != peers.end() ? *found : peers.emplace_back(PeerWait{.rank = rank});
}

// Adds a time span in which compute waits and `call` is under way.
void expose(const CallSpan& call, const TimeSpan& span, StepTime& time) {
  const auto arrived_ns = std::clamp(call.last_start_ns, call.start_ns, call.end_ns);
  const auto wait_us = us(within(span, call.start_ns, arrived_ns));
  auto& purpose = entry(time.purposes, call);
  purpose.exposed_wait_us += wait_us;
  purpose.exposed_transfer_us += us(within(span, arrived_ns, call.end_ns));
  if (wait_us > 0) entry(time.waited_for, call.last_rank).us += wait_us;
}

}  // namespace

bool is_awaited(const CallSpan& call, const WaitSpan& wait) {
  return wait.stream.empty() || call.stream == wait.stream ||
         (!wait.before.empty() && call.stream == wait.before);
}

double StepTime::comm_us() const {
  return std::accumulate(purposes.begin(), purposes.end(), 0.0,
                         [](double sum, const auto& one) { return sum + one.total_us; });
}

double StepTime::exposed_us() const {
  return std::accumulate(purposes.begin(), purposes.end(), 0.0,
                         [](double sum, const auto& one) { return sum + one.exposed_us(); });
}

StepTime step_time(TimeSpan step, std::span<const WaitSpan> waits,
                   std::span<const CallSpan> calls) {
  std::vector<CallSpan> ordered(calls.begin(), calls.end());
  std::ranges::stable_sort(ordered, {}, &CallSpan::start_ns);
  StepTime time{.step_us = us(step.second - step.first)};
  for (const auto& call : ordered) {
    auto& purpose = entry(time.purposes, call);
    ++purpose.calls;
    purpose.bytes += call.bytes;
    purpose.total_us += us(call.end_ns - call.start_ns);
  }
  std::int64_t waits_ns = 0, idle_ns = 0;
  auto first = ordered.begin();  // that may not have ended
  for (const auto& wait : waits) {
    auto at_ns = wait.at.first;  // up to here it is told
    while (first != ordered.end() && first->end_ns <= at_ns) ++first;
    for (auto call = first; call != ordered.end() && call->start_ns < wait.at.second; ++call) {
      const TimeSpan span{std::max(at_ns, call->start_ns), std::min(wait.at.second, call->end_ns)};
      if (span.second <= span.first || !is_awaited(*call, wait)) continue;
      idle_ns += span.first - at_ns;
      expose(*call, span, time);
      at_ns = span.second;
    }
    idle_ns += wait.at.second - at_ns;
    waits_ns += wait.at.second - wait.at.first;
  }
  time.compute_us = us(step.second - step.first - waits_ns);
  time.idle_us = us(idle_ns);
  return time;
}

}  // namespace linerate::trainers
