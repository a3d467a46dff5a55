// See pair_bound.h.
#include "bench/expect/pair_bound.h"

#include "bench/expect/joint_windows.h"

#include <algorithm>

namespace linerate {
namespace {

// A message is a pass of the same kind as the probe's, and either may be so much slower than the
// other by chance: on two cores of a virtual machine 0.92 to 1.08 was seen.
constexpr double kProbeNoise = 0.9;

// What one message takes.
struct MessageTimes {
  double lone_us = 0;  // moved by one core
  double all_us = 0;   // by as many as there are
};

Touched touched_by_message(std::size_t bytes, double footprint_bytes) {
  const auto size = static_cast<double>(bytes);
  return {
      .read_bytes = size, .written_bytes = size, .visits = {{.footprint_bytes = footprint_bytes}}};
}

// Ranks that share cores may reach less together than one of them alone.
MessageTimes times_of(const PairRun& run, const PairLimits& limits, std::size_t npairs,
                      double PairFootprint::*part) {
  const auto lone = lone_footprint(run.bytes);
  const auto round = round_footprint(run.bytes, run.ways, npairs);
  const double lone_us = limits.lone.least_us(touched_by_message(run.bytes, lone.*part));
  const double all_us = sure_part(limits.all) *
                        limits.all.memory.least_us(touched_by_message(run.bytes, round.*part));
  return {.lone_us = lone_us, .all_us = std::min(lone_us, all_us)};
}

MessageTimes least_times(const PairRun& run, const PairLimits& limits, std::size_t npairs) {
  const auto times = times_of(run, limits, npairs, &PairFootprint::read_bytes);
  return {.lone_us = kProbeNoise * times.lone_us, .all_us = kProbeNoise * times.all_us};
}

bool is_known(const PairRun& run, const PairLimits& limits, std::size_t npairs) {
  const auto lone = lone_footprint(run.bytes);
  const auto round = round_footprint(run.bytes, run.ways, npairs);
  const double lones[] = {lone.read_bytes, lone.all_bytes};
  const double rounds[] = {round.read_bytes, round.all_bytes};
  return limits.lone.knows(lones, limits.lone_left_out) &&
         limits.all.memory.knows(rounds, limits.all_left_out);
}

bool is_judged(const PairRun& run, const PairLimits& limits, std::size_t npairs) {
  return run.bytes >= kMinJudgedBytes && run.busbw_gbps > 0 && is_known(run, limits, npairs) &&
         least_times(run, limits, npairs).lone_us > limits.all.latency_us;
}

// What a message takes where all is well. Of several pairs each has its part of the memory; one
// pair alone has no less than its part, and no less than one core.
double healthy_us(const PairRun& run, const PairLimits& limits, std::size_t npairs) {
  const auto times = times_of(run, limits, npairs, &PairFootprint::all_bytes);
  const double part_us = times.all_us * limits.nranks / 2;
  if (npairs > 1) return std::max(times.lone_us, part_us);
  return run.ways > 1 ? std::min(times.lone_us, part_us) : times.lone_us;
}

}  // namespace

PairFootprint lone_footprint(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  return {.read_bytes = size, .all_bytes = 2 * size};
}

PairFootprint round_footprint(std::size_t bytes, int ways, std::size_t npairs) {
  const double at_once = ways * static_cast<double>(npairs);
  const auto [read_bytes, all_bytes] = lone_footprint(bytes);
  return {.read_bytes = at_once * read_bytes, .all_bytes = at_once * all_bytes};
}

PairFootprints footprints_between(std::size_t min_bytes, std::size_t max_bytes,
                                  std::size_t npairs) {
  PairFootprints all;
  const auto add = [](std::vector<double>& footprints, const PairFootprint& footprint) {
    footprints.insert(footprints.end(), {footprint.read_bytes, footprint.all_bytes});
  };
  for (const auto bytes : {min_bytes, max_bytes}) {
    if (bytes < kMinJudgedBytes) continue;
    add(all.lone, lone_footprint(bytes));
    for (const int ways : {1, 2}) add(all.round, round_footprint(bytes, ways, npairs));
  }
  return all;
}

std::vector<std::optional<Expectation>> pair_bounds(std::span<const PairRun> round,
                                                    const PairLimits& limits) {
  const auto npairs = round.size();
  std::vector<JointWindow> windows;
  for (const auto& run : round)
    windows.push_back(
        {.span = run.span,
         .work_us = least_times(run, limits, npairs).all_us * static_cast<double>(run.messages)});
  std::vector<std::optional<Expectation>> bounds(npairs);
  for (std::size_t p = 0; p < npairs; ++p) {
    const auto& run = round[p];
    if (!is_judged(run, limits, npairs)) continue;
    const auto messages = static_cast<double>(run.messages);
    const double cores_us = messages * least_times(run, limits, npairs).lone_us / 2;
    const double memory_us = least_us(windows, p);
    const double least = std::max(cores_us, memory_us);
    const double healthy =
        messages * (healthy_us(run, limits, npairs) + limits.all.latency_us / run.ways);
    const auto touched =
        touched_by_message(run.bytes, round_footprint(run.bytes, run.ways, npairs).all_bytes);
    bounds[p] = {
        .busbw_gbps = run.busbw_gbps * run.span.us() / least,
        .bound_by = memory_us >= cores_us ? "memory" : "two cores",
        .low_below = low_below(limits.all, true, touched) * std::min(1.0, least / healthy)};
  }
  return bounds;
}

}  // namespace linerate
