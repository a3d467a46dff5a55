// linerate doctor hang: looks at processes twice, reads dumps, asks NCCL, prints why they hang.
#include "base/clock.h"
#include "base/file.h"
#include "base/handle.h"
#include "base/text.h"
#include "cli/doctor_config.h"
#include "commands/ask_ras.h"
#include "commands/doctor.h"
#include "commands/doctor_pages.h"
#include "diagnose/hang/hang.h"
#include "launch/watch/page.h"
#include "output/text_file.h"
#include "record/findings.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <thread>
#include <utility>

namespace linerate {
namespace {

namespace fs = std::filesystem;

// The watch's page of a run of ours has all threads of its node.
std::vector<std::string> stages_of(int pid) {
  std::vector<std::string> stages;
  std::error_code failed;
  for (fs::directory_iterator entry(fmt::format("/proc/{}/fd", pid), failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    std::error_code gone;
    if (!fs::read_symlink(entry->path(), gone).string().starts_with(ControlPage::kName)) continue;
    FileDescriptor memory(::open(entry->path().c_str(), O_RDWR | O_CLOEXEC));
    if (!memory) return {};
    for (const auto& thread : ControlPage::threads_in(std::move(memory)))
      stages.push_back(plain_text(fmt::format(
          "rank thread {} of this node: {}, for {:.1f} s", stages.size(), stage_text(thread),
          static_cast<double>(SteadyClock().now_ns() - thread.entered_ns) * 1e-9)));
    return stages;
  }
  return stages;
}

Result<std::vector<hang::Observed>> observe(const std::vector<int>& pids) {
  std::vector<hang::Observed> processes;
  const SteadyClock clock;
  const auto begin_ns = clock.now_ns();
  for (const int pid : pids) {
    auto seen = hang::look_at("/proc", pid);
    if (!seen) return Failure{fmt::format("There is no process {} here.", pid)};
    if (seen->of_kernel)
      return Failure{
          fmt::format("{} is a thread of the kernel, and no process of a job.", seen->title())};
    processes.push_back({.before = *std::move(seen)});
  }
  if (pids.empty()) return processes;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  for (auto& process : processes) {
    process.after = process.before;
    process.after.state = 'X';  // it has gone
    if (auto seen = hang::look_at("/proc", process.before.pid)) process.after = *std::move(seen);
    process.after.stages = stages_of(process.before.pid);
    process.seconds = static_cast<double>(clock.now_ns() - begin_ns) * 1e-9;
  }
  return processes;
}

// Of a folder the files whose names end in a rank.
Result<std::vector<std::string>> dump_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const auto& name : names) {
    std::error_code failed;
    if (!fs::is_directory(name, failed)) {
      files.push_back(name);
      continue;
    }
    const auto before = files.size();
    for (fs::directory_iterator entry(name, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed))
      if (entry->is_regular_file(failed) && hang::rank_of_dump(entry->path()) >= 0)
        files.push_back(entry->path());
    if (before == files.size())
      return Failure{
          fmt::format("{}: no file in this folder has a name that ends in a rank, as "
                      "nccl_trace_rank_0 does.",
                      plain_text(name))};
  }
  std::ranges::sort(files);
  return files;
}

Result<hang::HangReport> hang_report(const DoctorHangConfig& config) {
  hang::HangReport report;
  const auto files = dump_files(config.files);
  if (!files) return files.failure();
  std::vector<std::string> unread;
  for (const auto& file : *files) {
    const auto bytes = read_regular_file(file, hang::kMostDumpBytes);
    const auto why = bytes ? report.dumps.add(file, *bytes) : ": " + bytes.sentence();
    if (!why) continue;
    unread.push_back(plain_text(file + *why));
    if (std::error_code failed; !fs::exists(file, failed)) return Failure{unread.back()};
  }
  if (!unread.empty() && report.dumps.files().empty()) return Failure{unread.front()};
  if (config.ras.port != 0) {
    auto answers = ask_ras(config.ras);
    if (!answers) return answers.failure();
    report.ras = *std::move(answers);
  }
  auto processes = observe(config.pids);
  if (!processes) return processes.failure();
  report.processes = *std::move(processes);
  report.findings = hang::examine(report.dumps);
  if (!unread.empty()) report.findings.push_back(hang::left_out(unread, files->size()));
  std::ranges::move(hang::examine(report.ras), std::back_inserter(report.findings));
  std::ranges::move(hang::examine(report.processes), std::back_inserter(report.findings));
  leave_out(report.findings, config.skip);
  std::ranges::stable_sort(report.findings, std::greater<>(), [](const Finding& finding) {
    return std::pair(finding.severity, finding.confidence);
  });
  return report;
}

}  // namespace

ExitCode doctor_hang(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_hang)) return ExitCode::ok;
  const auto config = parse_doctor_hang(input.call.words);
  if (!config) return refuse(config.sentence());
  if (const auto why = unknown_finding(config->skip)) return refuse(*why);
  const auto report = hang_report(*config);
  if (!report) return refuse(report.sentence());
  TextFile::standard_output().write(config->json ? hang::hang_json(*report)
                                                 : hang::hang_text(*report));
  return any_from(report->findings, config->fail_on) ? ExitCode::finding : ExitCode::ok;
}

}  // namespace linerate
