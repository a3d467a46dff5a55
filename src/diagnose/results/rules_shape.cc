// How times and bandwidths go from size to size. A larger message may take as long as a smaller
// one, but not half as long; and on GPUs bandwidth grows with size, or stays.
#include "base/text.h"
#include "base/units.h"
#include "collectives/collective.h"
#include "diagnose/results/results.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

namespace linerate::results {
namespace {

constexpr double kTimesSlower = 2;  // than a larger size
constexpr double kMuchSlower = 3;   // likewise: also where one placement alone shows it
constexpr double kFallsTo = 0.5;    // of the best bandwidth at smaller sizes
constexpr std::uint64_t kSmallBytes = 4096, kLargeBytes = 1 << 20;

// A size that is slow, by which factor, and the size that shows it.
struct Slow {
  std::size_t at = 0;
  double times = 1;
  std::size_t than = 0;
};

// By the fastest of the larger sizes.
std::vector<Slow> slower_than_larger(const Series& series) {
  std::vector<Slow> slow;
  auto fastest = series.size();
  for (std::size_t i = series.size(); i-- > 0;) {
    if (fastest < series.size() && series[i].us >= kTimesSlower * series[fastest].us)
      slow.push_back({i, series[i].us / series[fastest].us, fastest});
    if (fastest == series.size() || series[i].us < series[fastest].us) fastest = i;
  }
  std::ranges::reverse(slow);
  return slow;
}

// By the best bandwidth of smaller sizes, where a larger size has it again.
std::vector<Slow> dips(const Series& series) {
  std::vector<Slow> slow;
  double larger = 0;
  std::vector<double> best_of_larger(series.size(), 0);
  for (std::size_t i = series.size(); i-- > 0;) {
    best_of_larger[i] = larger;
    larger = std::max(larger, series[i].busbw_gbps);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    const double busbw = series[i].busbw_gbps;
    const double like = std::min(series[best].busbw_gbps, best_of_larger[i]);
    if (busbw > 0 && series[i].bytes >= kLargeBytes && busbw < kFallsTo * like)
      slow.push_back({i, like / busbw, best});
    if (busbw > series[best].busbw_gbps) best = i;
  }
  return slow;
}

std::string words_of(const CaseKey& key) {
  return fmt::format("{}{}", key.placement == Placement::in_place ? "in place" : "out of place",
                     key.root >= 0 ? fmt::format(", root {}", key.root) : "");
}

const Series* other_placement(const Run& run, CaseKey key) {
  key.placement =
      key.placement == Placement::in_place ? Placement::out_of_place : Placement::in_place;
  const auto found = run.series.find(key);
  return found == run.series.end() ? nullptr : &found->second;
}

std::set<std::uint64_t> slow_bytes(const Series& series, bool on_gpus) {
  std::set<std::uint64_t> bytes;
  for (const auto& slow : slower_than_larger(series)) bytes.insert(series[slow.at].bytes);
  if (on_gpus)
    for (const auto& slow : dips(series)) bytes.insert(series[slow.at].bytes);
  return bytes;
}

Seen slow_size(const Series& series, const Slow& slow, std::string_view where) {
  const auto& size = series[slow.at];
  const auto& other = series[slow.than];
  const bool is_larger = slow.than > slow.at;
  return {.subject = fmt::format("{}, {}", bytes_text(size.bytes), where),
          .evidence =
              is_larger ? fmt::format("It takes {:.4g} us; {} takes {:.4g} us, {:.2g} times less.",
                                      size.us, bytes_text(other.bytes), other.us, slow.times)
                        : fmt::format("Its busbw is {:.4g} GB/s; {} has {:.4g} GB/s, and larger "
                                      "sizes have {:.2g} times as much.",
                                      size.busbw_gbps, bytes_text(other.bytes), other.busbw_gbps,
                                      slow.times)};
}

// Ranks that send nothing, or print into one table, have no shape.
bool has_shape(const Run& run) { return run.jobs == 1 && run.nranks != 1; }

}  // namespace

std::vector<Seen> rules::slow_sizes(const Run& run) {
  constexpr std::size_t kMostTold = 3;
  std::vector<Seen> all;
  if (!has_shape(run)) return all;
  for (const auto& [key, series] : run.series) {
    auto slow = slower_than_larger(series);
    if (run.on_gpus) std::ranges::copy(dips(series), std::back_inserter(slow));
    const auto* other = other_placement(run, key);
    const auto both =
        other == nullptr ? std::set<std::uint64_t>() : slow_bytes(*other, run.on_gpus);
    std::set<std::size_t> told;
    for (const auto& one : slow) {
      if (one.at == 0 || !told.insert(one.at).second) continue;
      const bool in_both = both.contains(series[one.at].bytes);
      if (in_both && key.placement == Placement::in_place) continue;  // told with the other
      const bool sure = one.times >= kMuchSlower || in_both;
      all.push_back(slow_size(series, one, in_both ? "both placements" : words_of(key)));
      all.back().severity = run.on_gpus && sure ? Severity::warning : Severity::info;
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &Seen::severity);
  if (all.size() <= kMostTold) return all;
  all[kMostTold - 1].evidence += fmt::format(" So are {} more.", all.size() - kMostTold);
  all.resize(kMostTold);
  return all;
}

std::vector<Seen> rules::slow_first_size(const Run& run) {
  if (!has_shape(run) || run.results.empty()) return {};
  auto key = key_of(run.results.front());
  key.bytes = 0;
  const auto found = run.series.find(key);
  if (found == run.series.end()) return {};
  const auto slow = slower_than_larger(found->second);
  if (slow.empty() || slow.front().at != 0) return {};
  return {slow_size(found->second, slow.front(), words_of(key))};
}

std::vector<Seen> rules::falls_at_large_sizes(const Run& run) {
  std::vector<Seen> all;
  if (!has_shape(run) || !run.on_gpus) return all;
  for (const auto& [key, series] : run.series) {
    const auto best = std::ranges::max_element(series, {}, &SizeTime::busbw_gbps);
    const auto& last = series.back();
    if (last.bytes < kLargeBytes || last.busbw_gbps >= kFallsTo * best->busbw_gbps) continue;
    all.push_back({.subject = words_of(key),
                   .evidence = fmt::format("busbw is {:.4g} GB/s at {}, and falls to {:.4g} at {}.",
                                           best->busbw_gbps, bytes_text(best->bytes),
                                           last.busbw_gbps, bytes_text(last.bytes))});
  }
  return all;
}

std::vector<Seen> rules::placements_differ(const Run& run) {
  constexpr double kTimes = 1.5;
  constexpr std::size_t kLeastSizes = 3;
  std::vector<Seen> all;
  if (!has_shape(run) || !run.on_gpus) return all;
  for (const auto& [key, series] : run.series) {
    const auto* collective = find_collective(key.collective);
    const auto* other = other_placement(run, key);
    if (key.placement == Placement::in_place || other == nullptr ||
        (collective != nullptr && !collective->in_place))
      continue;
    std::vector<double> ratios;
    for (const auto& size : series) {
      const auto same = std::ranges::lower_bound(*other, size.bytes, {}, &SizeTime::bytes);
      if (size.bytes >= kLargeBytes && same != other->end() && same->bytes == size.bytes)
        ratios.push_back(same->us / size.us);
    }
    if (ratios.size() < kLeastSizes) continue;
    const double ratio = stats::median(ratios);
    if (ratio < kTimes && ratio > 1 / kTimes) continue;
    all.push_back({.evidence = fmt::format(
                       "From {} on, in place takes {:.2g} times as long as out of place (median "
                       "of {} sizes).",
                       bytes_text(kLargeBytes), ratio, ratios.size())});
  }
  return all;
}

// InfiniBand, RoCE and NVLink take tens of microseconds, TCP a few hundred over some hosts.
std::vector<Seen> rules::slow_small_sizes(const Run& run) {
  constexpr double kOneHostUs = 300, kHostsUs = 1000, kRankUs = 50;
  std::vector<Seen> all;
  if (!has_shape(run) || !run.on_gpus) return all;
  const double most =
      run.nhosts == 1 ? kOneHostUs : kHostsUs + kRankUs * static_cast<double>(run.nranks);
  for (const auto& [key, series] : run.series) {
    double us = std::numeric_limits<double>::infinity();
    for (const auto& size : series)
      if (size.bytes <= kSmallBytes) us = std::min(us, size.us);
    if (us <= most || us == std::numeric_limits<double>::infinity()) continue;
    all.push_back({.subject = words_of(key),
                   .evidence = fmt::format("The fastest of the sizes up to {} takes {:.4g} us; "
                                           "healthy {} stay below {:.4g} us.",
                                           bytes_text(kSmallBytes), us,
                                           run.nhosts == 1 ? "GPUs of a host" : "hosts", most)});
  }
  return all;
}

std::vector<Seen> rules::average_misleads(const Run& run) {
  constexpr double kFar = 0.7;
  if (!has_shape(run) || !run.end || !run.end->average_busbw_gbps) return {};
  const SizeTime* best = nullptr;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [key, series] : run.series) {
    least = std::min(least, series.front().bytes);
    for (const auto& size : series)
      if (best == nullptr || size.busbw_gbps > best->busbw_gbps) best = &size;
  }
  const double average = *run.end->average_busbw_gbps;
  if (best == nullptr || average >= kFar * best->busbw_gbps) return {};
  return {{.evidence =
               fmt::format("The average bus bandwidth of {:.4g} GB/s counts sizes from {} "
                           "on; {} reaches {:.4g} GB/s.",
                           average, bytes_text(least), bytes_text(best->bytes), best->busbw_gbps)}};
}

}  // namespace linerate::results
