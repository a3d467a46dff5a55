#include "commands/doctor_quick_bench.h"

#include "base/file.h"
#include "base/text.h"
#include "commands/scratch_folder.h"
#include "compare/import.h"
#include "output/verdict_text.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

namespace linerate {
namespace {

struct QuickRun {
  ChildEnd end{};
  RunFile file{};
};

// Processes of this host, whatever launcher has started this one.
QuickRun run_all_reduce(const CommandInput& input, std::string_view backend, int nranks) {
  const ScratchFolder scratch;
  const auto records = (scratch.path() / "run.jsonl").string();
  auto words = fmt::format(
      "linerate perf all_reduce --backend {} --nprocs {} -b 1M -e 64M -f 8 --stop max=1s -T 60",
      backend, nranks);
  QuickRun run;
  run.end = run_child({.program = "/proc/self/exe",
                       .argv = split(words, ' '),
                       .variables = {{"LINERATE_JSONL", records}},
                       .captured = true},
                      input.interrupted);
  const auto text = read_regular_file(records, ImportLimits{}.bytes);
  if (auto file = text ? read_jsonl(*text) : Result<RunFile>(RunFile{}))
    run.file = *std::move(file);
  return run;
}

// The verdict line of the table, without its heading.
std::string verdict_text(const RunFile& file) {
  VerdictText verdicts;
  for (const auto& record : file.records) verdicts.add(record);
  auto ended = file.ends.front();
  ended.findings = file.findings;  // lines of their own
  const auto line = verdicts.lines(false, ended);
  return std::string(
      trim(std::string_view(line).substr(std::min(line.size(), line.find(':') + 1))));
}

std::string last_line(const ChildEnd& end) {
  constexpr std::string_view kSpeaker = "linerate: ";
  const auto lines = split(trim(end.errors.empty() ? end.output : end.errors), '\n');
  const auto& last = lines.back();
  return plain_text(last.starts_with(kSpeaker) ? last.substr(kSpeaker.size()) : last);
}

}  // namespace

std::string judge_quick_bench(const ChildEnd& end, const RunFile& file, node::Examined& examined) {
  if (static_cast<ExitCode>(end.code) == ExitCode::unavailable || end.code == kCannotStart) {
    examined.not_run.push_back({.reason = last_line(end), .ids = {kQuickBench}});
    return {};
  }
  ++examined.ran;
  Finding finding{.rule = std::string(kQuickBench),
                  .severity = Severity::problem,
                  .subject = "all_reduce on this node",
                  .advice =
                      "docs/troubleshooting.md has what to do; repeat it: linerate perf "
                      "all_reduce --nprocs 2"};
  if (is_failure(end.code) || file.runs.empty() || file.ends.empty()) {
    finding.evidence = fmt::format("It ended with exit code {}: {}", end.code, last_line(end));
    examined.findings.insert(examined.findings.begin(), std::move(finding));
    return {};
  }
  const auto& run = file.runs.front();
  const auto about = fmt::format("all_reduce over {}, {} ranks", run.backend, run.nranks);
  const auto& verdict = file.ends.front().verdict;
  if (verdict.empty()) return plain_text(about + ": how fast it should be is not known");
  if (verdict != "low") return plain_text(fmt::format("{}: {}", about, verdict_text(file)));
  finding.severity = Severity::warning;
  finding.subject = about;
  finding.evidence = verdict_text(file);
  finding.advice = "docs/low-result.md has the steps from here";
  examined.findings.push_back(std::move(finding));
  std::ranges::stable_sort(examined.findings, std::greater<>(), &Finding::severity);
  return {};
}

std::string quick_bench(const CommandInput& input, node::Examined& examined) {
  constexpr unsigned kFewest = 2, kMost = 8;
  const int ngpus = count_nvidia_gpus(input.environment.get("LINERATE_SYSFS").value_or("/sys"));
  if (ngpus > 1) {
    const auto run = run_all_reduce(input, "nccl", ngpus);
    const auto line = judge_quick_bench(run.end, run.file, examined);
    if (static_cast<ExitCode>(run.end.code) != ExitCode::unavailable) return line;
  }
  if (input.interrupted()) return {};
  const auto ncores = std::thread::hardware_concurrency();
  const auto run =
      run_all_reduce(input, "host", static_cast<int>(std::clamp(ncores, kFewest, kMost)));
  return judge_quick_bench(run.end, run.file, examined);
}

}  // namespace linerate
