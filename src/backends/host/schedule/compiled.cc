#include "backends/host/schedule/compiled.h"

#include <algorithm>
#include <cassert>

namespace linerate::host {
namespace {

template <typename Test>
bool any_place(const Step& step, Test&& test) {
  return step.count > 0 &&
         (std::ranges::any_of(step.from, test) || std::ranges::any_of(step.to, test));
}

bool touches(const Step& step, int rank) {
  return any_place(step, [rank](const Place& place) { return place.rank == rank; });
}

// The number of steps of `schedule` after which `rank` is not touched any more.
std::uint32_t steps_touching(const Schedule& schedule, int rank) {
  for (std::size_t steps = schedule.steps.size(); steps > 0; --steps)
    if (touches(schedule.steps[steps - 1], rank)) return static_cast<std::uint32_t>(steps);
  return 0;
}

// How many steps of `peer` this schedule waits for at most.
std::uint32_t steps_awaited(const Schedule& schedule, int peer) {
  std::uint32_t most = 0;
  for (const Step& step : schedule.steps)
    for (const Wait& wait : step.waits)
      if (wait.rank == peer) most = std::max(most, wait.steps);
  return most;
}

}  // namespace

std::vector<Wait> last_waits_of(std::span<const Schedule> all, int rank) {
  std::vector<Wait> waits;
  for (int peer = 0; peer < static_cast<int>(all.size()); ++peer) {
    if (peer == rank) continue;
    const auto steps = steps_touching(all[static_cast<std::size_t>(peer)], rank);
    if (steps > steps_awaited(all[static_cast<std::size_t>(rank)], peer))
      waits.push_back({peer, steps});
  }
  return waits;
}

CompiledSchedule::CompiledSchedule(const Algorithm& algorithm, const Problem& problem, int rank) {
  assert(algorithm.schedule != nullptr && algorithm.defined(problem));
  std::vector<Schedule> all;
  for (int peer = 0; peer < problem.nranks; ++peer)
    all.push_back(algorithm.schedule(problem, peer));
  const Schedule& own = all[static_cast<std::size_t>(rank)];
  for (const Step& step : own.steps) append(step);
  scratch_count_ = own.scratch_count;
  variant_ = variant_of(algorithm);
  find_touched(rank);
  last_waits_ = last_waits_of(all, rank);
  find_exposed(all, rank);
  find_announced(all, rank);
}

void CompiledSchedule::append(const Step& step) {
  waits_.insert(waits_.end(), step.waits.begin(), step.waits.end());
  places_from_.insert(places_from_.end(), step.from.begin(), step.from.end());
  places_to_.insert(places_to_.end(), step.to.begin(), step.to.end());
  stages_.push_back({.waits_end = static_cast<std::uint32_t>(waits_.size()),
                     .from_end = static_cast<std::uint32_t>(places_from_.size()),
                     .to_end = static_cast<std::uint32_t>(places_to_.size()),
                     .completes = step.completes,
                     .count = step.count});
}

void CompiledSchedule::find_touched(int rank) {
  for (const auto* places : {&places_from_, &places_to_})
    for (const Place& place : *places)
      if (place.rank != rank) touched_.push_back(place.rank);
  std::ranges::sort(touched_);
  const auto repeated = std::ranges::unique(touched_);
  touched_.erase(repeated.begin(), repeated.end());
}

void CompiledSchedule::find_exposed(std::span<const Schedule> all, int rank) {
  const auto exposed = [&](BufferKind buffer) {
    const auto at_own = [&](const Place& p) { return p.rank == rank && p.buffer == buffer; };
    for (int peer = 0; peer < static_cast<int>(all.size()); ++peer)
      for (const Step& step : all[static_cast<std::size_t>(peer)].steps)
        if (peer != rank && any_place(step, at_own)) return true;
    return false;
  };
  exposes_send_ = exposed(BufferKind::send);
  exposes_recv_ = exposed(BufferKind::recv);
}

// The end of the last step is announced anyway, as the end of the call.
void CompiledSchedule::find_announced(std::span<const Schedule> all, int rank) {
  const auto mark = [&](const Wait& wait) {
    assert(wait.rank != rank || wait.steps <= stages_.size());
    if (wait.rank == rank && wait.steps > 0) stages_[wait.steps - 1].announced = true;
  };
  for (int peer = 0; peer < static_cast<int>(all.size()); ++peer) {
    if (peer == rank) continue;
    for (const Step& step : all[static_cast<std::size_t>(peer)].steps)
      std::ranges::for_each(step.waits, mark);
    std::ranges::for_each(last_waits_of(all, peer), mark);
  }
  if (!stages_.empty()) stages_.back().announced = false;
}

}  // namespace linerate::host
