#include "bench/results.h"

#include "base/clock.h"
#include "base/units.h"
#include "collectives/traffic.h"

#include <algorithm>
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

double per_call_us(std::int64_t ns, const Measurement& m) {
  const double calls = static_cast<double>(m.iters) * m.agg_iters;
  return static_cast<double>(ns) / kNsPerUs / calls;
}

// Of the slowest thread without what faults cost; nothing where a thread's backend does not know
// that.
std::optional<double> fault_free_us(const Measurement& m, const ThreadSet& threads) {
  double slowest_us = 0;
  for (const int thread : threads) {
    const auto& time = m.thread_times[static_cast<std::size_t>(thread)];
    if (!time.lost_ns) return std::nullopt;
    slowest_us = std::max(slowest_us, per_call_us(time.elapsed_ns - *time.lost_ns, m));
  }
  return slowest_us;
}

// Nothing where a thread does not know it.
std::vector<double> core_wait_us(const Measurement& m, const ThreadSet& threads) {
  std::vector<double> waits_us;
  for (const int thread : threads) {
    const auto& time = m.thread_times[static_cast<std::size_t>(thread)];
    if (!time.core_wait_ns) return {};
    waits_us.push_back(per_call_us(*time.core_wait_ns, m));
  }
  return waits_us;
}

WindowInfo window_of(const Measurement& m, const ThreadSet& threads, Average average) {
  std::vector<double> thread_us;
  for (const int thread : threads)
    thread_us.push_back(
        per_call_us(m.thread_times[static_cast<std::size_t>(thread)].elapsed_ns, m));
  return {.iters = m.iters,
          .agg = m.agg_iters,
          .time_us = combine_us(thread_us, average),
          .slowest_us = std::ranges::max(thread_us),
          .cpu_us = per_call_us(m.thread_times.front().enqueue_ns, m),
          .fault_free_us = fault_free_us(m, threads),
          .core_wait_us = core_wait_us(m, threads)};
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
  info.last_to_last_us = reduction.last_to_last_us.summary().median;
  const auto mean = [&](const std::vector<double>& sums) {
    std::vector<double> means;
    for (const double sum : sums)
      means.push_back(sum / static_cast<double>(reduction.time_us.count()));
    return means;
  };
  info.late_us = mean(reduction.late_us_sum);
  info.wait_us = mean(reduction.wait_us_sum);
  info.transfer_us = mean(reduction.transfer_us_sum);
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
  const auto elements = algbw_count(*m.what.collective, sizing);
  const double bytes = static_cast<double>(elements * bytes_of(m.what.type));
  record.algbw_gbps = gbps_of(bytes, record.window.time_us);
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
                  .nnodes = static_cast<int>(ranks_by_node(ranks).size()),
                  .backend = facts.backend,
                  .backend_version = facts.backend_version,
                  .transport = facts.transport,
                  .call = m.call,
                  .window = window_of(m, sets[set], config.average),
                  .touched_bytes = m.touched_bytes,
                  .timestamp = utc_text(std::chrono::system_clock::now())};
    if (!config.report_cputime) record.window.cpu_us.reset();
    record.samples = samples_of(m.samples[set], m, keeps_raw(config));
    record.beside = beside_info(m.beside, sets[set], config);
    add_bandwidth(m, sizing, record);
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
  for (const auto& check : m.checks) results.failed_checks += check.wrong > 0 ? 1 : 0;
  return results;
}

}  // namespace linerate
