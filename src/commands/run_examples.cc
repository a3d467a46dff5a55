// What the pages of rules about runs show: the lines below the table of four ranks that something
// is wrong with; and those of findings that the commands themselves make.
#include "commands/run_examples.h"

#include "commands/doctor_quick_bench.h"
#include "commands/gather_nodes.h"
#include "diagnose/diagnose.h"
#include "diagnose/health/health.h"
#include "output/health_text.h"
#include "output/verdict_text.h"
#include "record/findings.h"
#include "record/verdict.h"

#include <algorithm>
#include <array>
#include <vector>

namespace linerate {
namespace {

constexpr int kRanks = 4;

struct Run {
  RunInfo info{};
  std::vector<Record> results{};
  MachineChange change{};
  std::vector<PairTime> pairs{};
  EndInfo end{};
};

void reach(Run& run, double share) { run.results[0].busbw_gbps = 13 * share; }

// One result of 1 MiB, bound by memory, that is as fast as it should be.
Run healthy_run() {
  constexpr double kBoundGbps = 13, kLowShare = 0.5;
  Run run{.info = {.nranks = kRanks}};
  for (int rank = 0; rank < kRanks; ++rank) {
    run.info.ranks.push_back({.rank = rank, .hostname = "node001"});
    run.info.network.push_back({.node = rank, .send_gbps = 10, .receive_gbps = 10});
  }
  auto& result = run.results.emplace_back();
  result.what = {.collective = "all_reduce", .bytes = 1 << 20};
  result.expected = band_below(kBoundGbps, kLowShare, "memory");
  result.window = {.iters = 20, .time_us = 400};
  reach(run, 0.9);
  return run;
}

struct Example {
  std::string_view rule;
  void (*spoil)(Run& run);
};
constexpr auto kExamples = std::to_array<Example>({
    {"unstable_machine", [](Run& run) { run.change = {.factor = 1.8, .what = "memory"}; }},
    {"busy_core",
     [](Run& run) {
       run.results[0].window.core_wait_us = {0, 96, 2, 0};
     }},
    {"above_bound", [](Run& run) { reach(run, 1.2); }},
    {"below_bound", [](Run& run) { reach(run, 0.24); }},
    {"near_bound",
     [](Run& run) {
       reach(run, 0.4);
       run.end.slack = 2;
     }},
    {"late_rank",
     [](Run& run) {
       reach(run, 0.24);
       run.results[0].samples = SampleInfo{.late_us = {0, 1, 160, 2}};
     }},
    {"slow_node",
     [](Run& run) {
       reach(run, 0.24);
       run.results[0].expected->bound_by = "network";
       run.info.network[2].send_gbps = 3;
     }},
    {"slow_component",
     [](Run& run) {
       reach(run, 0.24);
       for (int a = 0; a < kRanks; ++a)
         for (int b = 0; b < kRanks; ++b)
           if (a != b)
             run.pairs.push_back({.source = a,
                                  .dest = b,
                                  .one_way = true,
                                  .time_us = a == 2 || b == 2 ? 30.0 : 10.0});
     }},
    {"health",
     [](Run& run) {
       run.end.health = {
           {.hostname = "node001",
            .values = {
                {.subject = "mlx5_0 port 1", .what = "symbol_error", .before = 0, .after = 12}}}};
       run.end.findings = health::findings_of(run.end.health);
     }},
});

std::string unread_example() {
  const std::array<NodeReport, 1> reports{
      NodeReport{.hostname = "node017", .unread = "took more than 60 s"}};
  return finding_text(gathered(reports).unread.at(0));
}

std::string quick_bench_example() {
  node::Examined examined;
  judge_quick_bench({.code = 1, .errors = "linerate: rank 1 (node001): NCCL: unhandled cuda error"},
                    {}, examined);
  return examined.findings.empty() ? "" : finding_text(examined.findings.front());
}

}  // namespace

std::string run_example(std::string_view rule) {
  if (rule == "unread-node") return unread_example();
  if (rule == kQuickBench) return quick_bench_example();
  const auto example = std::ranges::find(kExamples, rule, &Example::rule);
  if (example == kExamples.end()) return {};
  auto run = healthy_run();
  example->spoil(run);
  if (!run.end.health.empty()) return health_lines(run.end);
  auto judged = run.results;
  for (auto& record : judged) record = widened(record, run.end.slack);
  run.end.findings =
      diagnose({.run = run.info, .results = judged, .change = run.change, .pairs = run.pairs});
  run.end.verdict = overall_verdict(judged);
  VerdictText text;
  for (const auto& record : run.results) text.add(record);
  return text.lines(false, run.end);
}

}  // namespace linerate
