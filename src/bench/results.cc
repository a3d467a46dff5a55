// See results.h.
#include "bench/results.h"

#include "base/time_text.h"
#include "base/units.h"
#include "bench/expect/healthy_bound.h"
#include "collectives/traffic.h"
#include "record/verdict.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <optional>
#include <set>

namespace linerate {
namespace {

// The ranks of one colour, or all when there is none.
std::vector<RankInfo> ranks_of(const RunFacts& facts, std::optional<int> group) {
  std::vector<RankInfo> ranks;
  for (const auto& info : facts.infos)
    if (!group || info.group == *group) ranks.push_back(info);
  return ranks;
}

int nodes_of(const std::vector<RankInfo>& ranks) {
  std::set<int> nodes;
  for (const auto& info : ranks) nodes.insert(info.node);
  return static_cast<int>(nodes.size());
}

WindowInfo window_of(const Measurement& m, const ThreadSet& threads, Average average) {
  const double calls = static_cast<double>(m.iters) * m.agg_iters;
  std::vector<double> thread_us;
  for (const int thread : threads)
    thread_us.push_back(
        static_cast<double>(m.thread_times[static_cast<std::size_t>(thread)].elapsed_ns) / 1e3 /
        calls);
  const double first_ns = static_cast<double>(m.thread_times.front().enqueue_ns);
  return {.iters = m.iters,
          .agg = m.agg_iters,
          .time_us = combine_us(thread_us, average),
          .cpu_us = first_ns / 1e3 / calls};
}

// The same without what the threads lost; nothing where one of them does not tell.
std::optional<double> healthy_us(const Measurement& m, const ThreadSet& threads, Average average) {
  const double calls = static_cast<double>(m.iters) * m.agg_iters;
  std::vector<double> thread_us;
  for (const int thread : threads) {
    const auto& time = m.thread_times[static_cast<std::size_t>(thread)];
    if (!time.lost_ns) return std::nullopt;
    thread_us.push_back(static_cast<double>(time.elapsed_ns - *time.lost_ns) / 1e3 / calls);
  }
  return combine_us(thread_us, average);
}

// Low is worse than above the bound, and that than ok; groups of other sizes are low at other
// parts.
bool is_worse(const Record& one, const Record& other) {
  constexpr std::array kFromWorst{Verdict::low, Verdict::above, Verdict::ok};
  const auto place = [&](const Record& record) {
    return std::ranges::find(kFromWorst, verdict_of(record));
  };
  if (place(one) != place(other)) return place(one) < place(other);
  const bool farther_above = efficiency(one) > efficiency(other);
  return verdict_of(one) == Verdict::above ? farther_above : !farther_above;
}

// A row of several groups is as good as its worst group.
void judge_by_worst(const std::vector<Record>& groups, Record& table) {
  const Record* worst = nullptr;
  for (const auto& group : groups)
    if (group.expected && (worst == nullptr || is_worse(group, *worst))) worst = &group;
  if (worst == nullptr || efficiency(*worst) <= 0 || table.busbw_gbps <= 0) return;
  table.expected = worst->expected;
  table.expected->busbw_gbps = table.busbw_gbps / efficiency(*worst);
}

// Groups that share what an expecter knows of are judged by what all of them did. Others are not.
void judge_together(const Measurement& m, const RunFacts& facts, std::vector<Record>& groups) {
  GroupedCase grouped{.what = m.what, .placement = m.placement, .windows = m.group_windows};
  for (const auto& record : groups)
    grouped.groups.push_back({.sizing = sizing_of(m.what, record.nranks, facts.traffic),
                              .busbw_gbps = record.busbw_gbps});
  const auto windows = std::max<std::size_t>(1, m.group_windows.size());
  grouped.calls = m.iters * static_cast<std::uint64_t>(m.agg_iters) / windows;
  const auto bounds = facts.expecter->of_groups(grouped);
  for (std::size_t g = 0; g < bounds.size(); ++g)
    if (!groups[g].expected) groups[g].expected = bounds[g];
}

bool keeps_raw(const BenchConfig& config) {
  return config.keep_samples || config.keep_process_samples;
}

std::optional<SampleInfo> samples_of(const SampleReduction& reduction, const Measurement& m,
                                     bool keep_raw) {
  if (reduction.time_us.count() == 0) return std::nullopt;
  SampleInfo info{.us = reduction.time_us.summary(),
                  .batch = m.batch,
                  .per_process_us = reduction.process_us,
                  .skipped = reduction.skipped};
  const auto kept = reduction.time_us.kept();
  if (keep_raw) info.raw_us.assign(kept.begin(), kept.end());
  if (reduction.arrival_skew_us.count() == 0) return info;
  info.arrival_skew_us = reduction.arrival_skew_us.summary().median;
  info.exit_skew_us = reduction.exit_skew_us.summary().median;
  for (const double sum : reduction.late_us_sum)
    info.late_us.push_back(sum / static_cast<double>(reduction.time_us.count()));
  return info;
}

void add_checks(const Measurement& m, const std::vector<RankInfo>& infos, Record& record) {
  if (!m.checked) return;
  std::vector<int> ranks;
  for (const auto& info : infos) ranks.push_back(info.rank);
  add_checks(m.checks, ranks, record);
}

CaseInfo case_info(const Measurement& m, const Sizing& sizing) {
  const auto& collective = *m.what.collective;
  return {.collective = std::string(collective.name),
          .type = std::string(name_of(m.what.type)),
          .redop = redop_text(m.what),
          .root = collective.rooted ? m.what.root : -1,
          .placement = m.placement,
          .bytes = row_bytes(collective, sizing, m.what.type),
          .count = sizing.count};
}

// Bandwidths of a record whose window stands.
void add_bandwidth(const Measurement& m, const Sizing& sizing, Record& record) {
  const auto elements = m.what.collective->algbw_count(sizing);
  const double bytes = static_cast<double>(elements * bytes_of(m.what.type));
  if (record.window.time_us > 0)
    record.algbw_gbps = bytes / record.window.time_us / kBytesPerUsOfGbps;
  record.busbw_gbps = record.algbw_gbps * m.what.collective->bus_factor(sizing.nranks);
}

void add_traffic(const Sizing& sizing, Record& record) {
  const auto width = bytes_of(sizing.type);
  for (int rank = 0; rank < sizing.nranks; ++rank)
    record.traffic_bytes.emplace_back(sizing.traffic->sent(sizing, rank) * width,
                                      sizing.traffic->received(sizing, rank) * width);
}

}  // namespace

double combine_us(std::vector<double> thread_us, Average average) {
  switch (average) {
    case Average::rank0:
      return thread_us.front();
    case Average::min:
      return std::ranges::min(thread_us);
    case Average::max:
      return std::ranges::max(thread_us);
    case Average::mean:
      break;
  }
  return std::accumulate(thread_us.begin(), thread_us.end(), 0.0) /
         static_cast<double>(thread_us.size());
}

Results results_of(const Measurement& m, const BenchConfig& config, const RunFacts& facts,
                   const std::vector<ThreadSet>& sets) {
  const auto record_of = [&](std::size_t set, std::optional<int> group, int size_group) {
    const auto ranks = ranks_of(facts, group);
    const int n = static_cast<int>(ranks_of(facts, size_group).size());
    const auto sizing = sizing_of(m.what, n, facts.traffic);
    Record record{.run_id = facts.run_id,
                  .what = case_info(m, sizing),
                  .group = size_group,
                  .nranks = static_cast<int>(ranks.size()),
                  .nnodes = nodes_of(ranks),
                  .backend = facts.backend,
                  .backend_version = facts.backend_version,
                  .transport = facts.transport,
                  .call = m.call,
                  .window = window_of(m, sets[set], config.average),
                  .timestamp = local_text(std::chrono::system_clock::now())};
    if (!config.report_cputime) record.window.cpu_us.reset();
    record.samples = samples_of(m.samples[set], m, keeps_raw(config));
    add_bandwidth(m, sizing, record);
    const auto healthy = config.expects ? healthy_us(m, sets[set], config.average) : std::nullopt;
    if (healthy)
      record.expected = healthy_bound(record, *healthy);
    else if (facts.expecter != nullptr && sets.size() == 1)
      record.expected = facts.expecter->of({m.what, m.placement, sizing});
    if (sizing.traffic != nullptr && config.traffic.print_summary) add_traffic(sizing, record);
    add_checks(m, ranks, record);
    return record;
  };
  std::set<int> colors;
  for (const auto& info : facts.infos) colors.insert(info.group);
  const int first_group = facts.infos.front().group;
  Results results{.table = record_of(0, std::nullopt, first_group)};
  std::size_t set = colors.size() > 1 ? 1 : 0;
  for (const int color : colors) results.groups.push_back(record_of(set++, color, color));
  if (colors.size() > 1 && facts.expecter != nullptr) judge_together(m, facts, results.groups);
  if (colors.size() > 1) judge_by_worst(results.groups, results.table);
  for (const auto& check : m.checks) results.failed_checks += check.wrong > 0 ? 1 : 0;
  return results;
}

}  // namespace linerate
