#include "diagnose/results/results.h"

#include "base/text.h"
#include "base/units.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace linerate::results {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {"wrong-data", Severity::problem, "results with wrong data",
     "if an element that was checked is wrong (#wrong above 0, or failed checks)",
     "Memory, a link or a library changes data: a job that trains on it is lost.",
     "believe no time of this run; exchange GPUs, cables and NICs one by one, and run it again "
     "with NCCL_ALGO=Ring and NCCL_PROTO=Simple: linerate names rank and place of the first wrong "
     "element",
     rules::wrong_data},
    {"failed-run", Severity::problem, "a run that ended with an error",
     "if the file holds an error or an exit code above 0; as a note if its user interrupted it",
     "What it measured until then may be fine; what is missing is not known.",
     "run it with NCCL_DEBUG=INFO and give its output to linerate doctor log", rules::failed_run},
    {"separate-jobs", Severity::problem,
     "processes that each ran a job of their own, and printed into one table",
     "if rank 0 is listed more than once",
     "Nothing went over the network between them: their bandwidths mean nothing.",
     "build nccl-tests with MPI=1, for the MPI that starts it; linerate finds its ranks itself",
     rules::separate_jobs},
    {"unreadable-rows", Severity::warning, "rows that are cut, joined or hold no numbers",
     "if a line begins like a row and is none",
     "The results of these rows are missing from all that is said here.",
     "have only rank 0 write to the file, and keep NCCL_DEBUG's lines out of it "
     "(NCCL_DEBUG_FILE)",
     rules::unreadable_rows},
    {"incomplete-run", Severity::warning, "a table without its last lines",
     "as a warning if sizes are missing or the last line is cut, as a note if only the lines below "
     "the table are",
     "Larger sizes, wrong data and an error at the end are not in it.",
     "see whether the job was killed or still runs: linerate doctor log on its output",
     rules::incomplete_run},
    {"wrong-numbers", Severity::warning,
     "bandwidths that do not follow from size, time and number of ranks",
     "if algbw is not size over time, or busbw not the same multiple of algbw as at other sizes, "
     "by more than 2 % and the digits that are printed; as a note if the multiple is not that of "
     "the ranks that are listed",
     "A file that disagrees with itself cannot be believed.",
     "compare the file with the original: it was changed, or lines of several processes got into "
     "each other",
     rules::wrong_numbers},
    {"wrong-average", Severity::warning, "an average that does not follow from the rows",
     "if the average differs from the mean of the rows by more than 0.2 % and the digits that are "
     "printed",
     "Rows are missing, or were changed.", "look for rows that are missing or were changed",
     rules::wrong_average},
    {"one-rank", Severity::info, "a single rank, which sends nothing", "if the job has one rank",
     "Its busbw is that of a copy, or 0.", "-g 8 for the GPUs of a node, or more processes",
     rules::one_rank},
    {"slow-sizes", Severity::warning, "sizes that are slower than larger ones",
     "if a size takes at least twice as long as a larger one, or, from 1 MiB on, if its bandwidth "
     "is below half of what smaller and larger sizes reach. As a warning if both placements show "
     "it, or one by a factor of three, else as a note; on host memory always as a note",
     "An algorithm or protocol that does not fit, or something else that used the machine at that "
     "moment.",
     "measure these sizes again, with more iterations (-n 100); if they stay slow, compare "
     "NCCL_ALGO and NCCL_PROTO there: linerate perf --show-algo",
     rules::slow_sizes},
    {"slow-first-size", Severity::info, "a first size that pays for what happens once",
     "if the first size takes at least twice as long as a larger one",
     "Connections and memory are set up during the first calls: it is no fault of that size.",
     "warm up more (-w 5), or leave the first size out", rules::slow_first_size},
    {"falls-at-large-sizes", Severity::warning,
     "a bandwidth at the largest sizes far below that of smaller ones",
     "if the last size is 1 MiB or more, and its bandwidth below half of the best; not on host "
     "memory, where caches shape the curve",
     "Training mostly sends large messages.",
     "look at what only large messages need: congestion, pause frames, GPU clocks, and "
     "linerate doctor on each node",
     rules::falls_at_large_sizes},
    {"placements-differ", Severity::warning, "in place and out of place that differ",
     "if from 1 MiB on one placement takes 1.5 times as long as the other, by the median of three "
     "sizes or more; not on host memory",
     "Both move the same bytes: one of them takes another way.",
     "repeat it; if it stays, look at the registration and alignment of buffers",
     rules::placements_differ},
    {"slow-small-sizes", Severity::warning, "a latency above that of any GPU interconnect",
     "if the fastest of the sizes up to 4 KiB takes more than 300 us on one host, or 1000 us and "
     "50 us for each rank on several; not on host memory",
     "It is the latency of TCP or of retransmissions, not of InfiniBand, RoCE or NVLink.",
     "see which network NCCL took: linerate doctor log on the output with NCCL_DEBUG=INFO",
     rules::slow_small_sizes},
    {"average-misleads", Severity::info, "an average far below what large sizes reach",
     "if the average is below 0.7 of the best bandwidth",
     "It counts small sizes as much as large ones, and says little of either.",
     "compare the largest sizes, not the average: it depends on the sizes that were chosen",
     rules::average_misleads},
    {"below-expected", Severity::warning, "results below what the hardware should reach",
     "with --platform, if results are below the band of such nodes; as a note if they are fewer "
     "than two or than a fifth",
     "The hardware could do more.",
     "see docs/low-result.md, linerate doctor and linerate topo --lint on the nodes",
     rules::below_expected},
    {"above-expected", Severity::info, "results above what the hardware should reach",
     "with --platform, if results are above the band of such nodes",
     "The hardware, the number of nodes or the version is another one than was said, or the "
     "numbers are wrong.",
     "see whether --platform, --nodes and --nccl are those of the run", rules::above_expected},
});

bool is_host_memory(const RunInfo& info) {
  const auto of_host = [](const RankInfo& rank) {
    return rank.device_name.starts_with("host memory") || rank.device_name == "fake device";
  };
  const bool of_osu = info.version.starts_with("OSU") || info.program.starts_with("MPI");
  return std::ranges::any_of(info.ranks, of_host) ||
         (of_osu && info.program.find("CUDA") == std::string::npos &&
          info.program.find("ROCM") == std::string::npos);
}

void count_ranks(Run& run) {
  std::set<std::string_view> hosts;
  std::size_t first_ranks = 0;
  for (const auto& rank : run.info.ranks) {
    if (!rank.hostname.empty()) hosts.insert(rank.hostname);
    if (rank.rank == 0) ++first_ranks;
  }
  run.nhosts = hosts.size();
  run.jobs = std::max<std::size_t>(1, first_ranks);
  run.nranks = run.info.nranks / static_cast<int>(run.jobs);
  run.on_gpus = !is_host_memory(run.info);
}

double time_of(const Record& record) {
  return record.samples && record.samples->us.median > 0 ? record.samples->us.median
                                                         : record.window.time_us;
}

std::map<CaseKey, Series> series_of(std::span<const Record> results) {
  std::map<CaseKey, std::map<std::uint64_t, std::pair<std::vector<double>, std::vector<double>>>>
      sorted;
  for (const auto& record : results) {
    if (record.pair || record.copy || !(time_of(record) > 0) || record.what.bytes == 0) continue;
    auto key = key_of(record);
    key.bytes = 0;
    auto& [us, busbw] = sorted[key][record.what.bytes];
    us.push_back(time_of(record));
    busbw.push_back(record.busbw_gbps);
  }
  std::map<CaseKey, Series> all;
  for (auto& [key, sizes] : sorted)
    for (auto& [bytes, of_size] : sizes)
      all[key].push_back({bytes, stats::median(std::move(of_size.first)),
                          stats::median(std::move(of_size.second))});
  return all;
}

// Those of versions before 2.16.7 do not say which collective they are. Told for sure: all_reduce
// of three ranks or more, which alone has this factor.
void guess_collective(Run& run) {
  constexpr double kLeastGbps = 1, kNear = 0.02;
  std::vector<double> factors;
  for (const auto& r : run.results) {
    if (!r.what.collective.empty() || r.what.redop == "none" || r.what.root != -1) return;
    if (r.algbw_gbps >= kLeastGbps) factors.push_back(r.busbw_gbps / r.algbw_gbps);
  }
  if (factors.empty() || run.nranks < 3) return;
  const double factor = 2.0 * (run.nranks - 1) / run.nranks;
  if (std::abs(stats::median(factors) - factor) > kNear * factor) return;
  for (auto& r : run.results) r.what.collective = "all_reduce";
}

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

std::vector<RuleText> rule_texts() {
  auto texts = texts_of(kRules, &Rule::id);
  for (auto& text : texts) text.example = example_of(text.id);
  return texts;
}

// Runs with one run_id are copies: their results are one run's.
std::vector<Run> runs_of(const std::string& name, RunFile file) {
  std::vector<Run> runs;
  std::map<std::string, std::size_t, std::less<>> places;
  for (auto& info : file.runs)
    if (places.emplace(info.run_id, runs.size()).second)
      runs.push_back({.name = name, .info = std::move(info)});
  const auto each = [&](auto& of_runs, auto add) {
    for (auto& one : of_runs)
      if (const auto place = places.find(one.run_id); place != places.end())
        add(runs[place->second], std::move(one));
  };
  each(file.records, [](Run& run, Record r) { run.results.push_back(std::move(r)); });
  each(file.findings, [](Run& run, Finding f) { run.findings.push_back(std::move(f)); });
  each(file.ends, [](Run& run, EndInfo end) { run.end = std::move(end); });
  for (auto& run : runs) {
    if (runs.size() > 1) run.name += fmt::format(" (run {})", &run - runs.data() + 1);
    count_ranks(run);
    guess_collective(run);
    run.series = series_of(run.results);
  }
  if (runs.empty()) return runs;
  runs.front().bad_lines = std::move(file.bad_lines);
  runs.front().torn = file.torn;
  return runs;
}

std::string size_text(const Record& record) {
  return fmt::format("{} {}", bytes_text(record.what.bytes),
                     record.what.placement == Placement::in_place ? "in place" : "out of place");
}

std::vector<Finding> examine(const Run& run) {
  std::vector<Finding> findings = run.findings;
  for (const auto& rule : kRules)
    for (auto& seen : rule.look(run))
      findings.push_back({.run_id = run.info.run_id,
                          .rule = std::string(rule.id),
                          .severity = seen.severity.value_or(rule.severity),
                          .subject = run.name + (seen.subject.empty() ? "" : ": " + seen.subject),
                          .evidence = std::move(seen.evidence),
                          .advice = std::string(rule.remedy)});
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::severity);
  return findings;
}

Finding failed_before_results(const std::string& name, std::string_view line) {
  const auto& rule = *std::ranges::find(kRules, "failed-run", &Rule::id);
  return {.rule = std::string(rule.id),
          .severity = rule.severity,
          .subject = name,
          .evidence = fmt::format("It holds no result: '{}'.", plain_text(line)),
          .advice = std::string(rule.remedy)};
}

}  // namespace linerate::results
