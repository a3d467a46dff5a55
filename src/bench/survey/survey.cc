// The caches by size, the memory by cores, and cache lines between pairs of cores.
#include "bench/survey/survey.h"

#include "base/log.h"
#include "base/pages.h"
#include "bench/probe/flag.h"
#include "bench/survey/pinned_team.h"
#include "model/memory_curve.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

namespace linerate {
namespace {

constexpr std::size_t kMinBytes = std::size_t{16} << 10;  // of a thread: in every L1 cache
constexpr int kFlagWindows = 15;

struct Measured {
  std::string_view kernel;
  double Bandwidths::*gbps;
};
// With the caches and past them: the better one counts.
constexpr Measured kSurveyed[] = {
    {"read", &Bandwidths::read_gbps},      {"write", &Bandwidths::write_gbps},
    {"nt_write", &Bandwidths::write_gbps}, {"copy", &Bandwidths::copy_gbps},
    {"nt_copy", &Bandwidths::copy_gbps},   {"triad", &Bandwidths::triad_gbps}};

template <typename Measure>
Bandwidths bandwidths_of(const Measure& measure) {
  Bandwidths of;
  for (const auto& [kernel, gbps] : kSurveyed)
    of.*gbps = std::max(of.*gbps, measure(*probe::find_kernel(kernel)));
  return of;
}

int memory_nodes_of(const std::vector<HardwareThread>& threads, std::size_t nthreads) {
  std::set<int> nodes;
  for (std::size_t i = 0; i < nthreads; ++i) nodes.insert(threads[i].numa_node);
  return static_cast<int>(nodes.size());
}

std::string_view shared_by(const HardwareThread& one, const HardwareThread& other) {
  if (one.core >= 0 && one.core == other.core) return "one core";
  if (one.l3 >= 0 && one.l3 == other.l3) return "one L3 cache";
  if (one.numa_node == other.numa_node) return "one memory node";
  if (one.package == other.package) return "one package";
  return "two packages";
}

void say_unbound(const PinnedTeam& team) {
  if (team.unbound() == 0) return;
  say(
      fmt::format("note: {} of {} threads could not be bound to their cores: what is said of cores "
                  "and of the ways between them may be that of others",
                  team.unbound(), team.size()));
}

}  // namespace

SurveyPlan survey_plan(std::vector<HardwareThread> threads, std::size_t l3_bytes,
                       std::size_t free_bytes) {
  constexpr std::size_t kMin = std::size_t{256} << 20, kMax = std::size_t{2} << 30;
  constexpr std::size_t kCaches = 2, kShareOfFree = 8;
  const auto wanted = std::clamp(kCaches * l3_bytes, kMin, kMax);
  const auto least = kMinBytes * threads.size();
  return {.threads = std::move(threads),
          .largest_bytes = std::max(std::min(wanted, free_bytes / kShareOfFree), least)};
}

std::vector<std::size_t> thread_counts(const std::vector<HardwareThread>& threads) {
  std::set<int> cores, first_node;
  for (const auto& thread : threads) {
    cores.insert(thread.core < 0 ? thread.os_index : thread.core);
    if (thread.numa_node == threads.front().numa_node)
      first_node.insert(thread.core < 0 ? thread.os_index : thread.core);
  }
  std::set<std::size_t> counts{first_node.size(), cores.size(), threads.size()};
  for (std::size_t count = 1; count < cores.size(); count *= 2) counts.insert(count);
  return {counts.begin(), counts.end()};
}

std::vector<LinePair> line_pairs(const std::vector<HardwareThread>& threads) {
  std::vector<LinePair> pairs;
  for (const std::string_view between :
       {"one core", "one L3 cache", "one memory node", "one package", "two packages"}) {
    const auto other = std::ranges::find_if(threads, [&](const auto& thread) {
      return thread.os_index != threads.front().os_index &&
             shared_by(threads.front(), thread) == between;
    });
    if (other != threads.end())
      pairs.push_back({between, threads.front().os_index, other->os_index});
  }
  return pairs;
}

Survey survey_machine(const SurveyPlan& plan, Device& host, const Clock& clock,
                      const SayProgress& progress) {
  const auto nthreads = plan.threads.size();
  Survey survey{.nthreads = static_cast<int>(nthreads)};
  progress("the way of a cache line between cores");
  for (const auto& pair : line_pairs(plan.threads)) {
    auto times_ns = probe::flag_round_trips_ns(clock, kFlagWindows, pair.first, pair.second);
    if (times_ns.empty()) continue;
    survey.lines.push_back(
        {std::string(pair.between), pair.first, pair.second, stats::summarize(times_ns).median});
  }
  progress("touching memory");
  const auto block = std::max(round_up(plan.largest_bytes / nthreads, kLineBytes), kMinBytes);
  PinnedTeam team(plan.threads, block, host, clock);
  say_unbound(team);
  for (std::size_t bytes = kMinBytes;; bytes = std::min(2 * bytes, block)) {
    progress("bandwidth of all cores by size");
    survey.by_size.push_back(
        {.bytes = bytes * nthreads,
         .of = bandwidths_of([&](const auto& kernel) { return team.own_gbps(kernel, bytes); })});
    if (bytes == block) break;
  }
  for (const auto count : thread_counts(plan.threads)) {
    progress("bandwidth of memory by cores");
    survey.by_cores.push_back(
        {.nthreads = static_cast<int>(count),
         .nmemory_nodes = memory_nodes_of(plan.threads, count),
         .of = bandwidths_of([&](const auto& kernel) { return team.shared_gbps(kernel, count); })});
  }
  return survey;
}

std::size_t cache_end(const Survey& survey) {
  if (survey.by_size.empty()) return 0;
  const auto& memory = survey.by_size.back().of;
  std::size_t end = survey.by_size.back().bytes;
  for (const auto& [bytes, of] : std::views::reverse(survey.by_size)) {
    if (of.copy_gbps > kLikeMemory * memory.copy_gbps ||
        of.read_gbps > kLikeMemory * memory.read_gbps)
      break;
    end = bytes;
  }
  return end == survey.by_size.back().bytes ? 0 : end;
}

}  // namespace linerate
