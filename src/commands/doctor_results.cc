// linerate doctor results: reads the files, has their runs examined, prints what was found.
#include "base/file.h"
#include "base/text.h"
#include "cli/doctor_config.h"
#include "commands/doctor.h"
#include "commands/doctor_pages.h"
#include "compare/import.h"
#include "diagnose/results/results.h"
#include "output/text_file.h"
#include "record/findings.h"
#include "topo/cluster/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

struct ExaminedResults {
  std::vector<results::Run> runs{};
  std::vector<Finding> findings{};
};

// A sentence where the file cannot be read or holds nothing of a benchmark.
Refusal examine_file(const std::string& file, const std::optional<results::Hardware>& hardware,
                     ExaminedResults& examined) {
  const bool from_stdin = file == "-";
  const auto name = plain_text(from_stdin ? "stdin" : file);
  const auto text = read_file_or_pipe(from_stdin ? "/dev/stdin" : file, ImportLimits{}.bytes);
  if (!text) return fmt::format("{}: {}", name, text.sentence());
  auto read = read_runs(name, *text);
  if (!read) {
    const auto failure = failure_line(*text);
    if (failure.empty()) return plain_text(read.sentence());
    examined.findings.push_back(results::failed_before_results(name, failure));
    return {};
  }
  for (auto& run : results::runs_of(name, *std::move(read))) {
    if (hardware) results::add_expectations(run, *hardware);
    std::ranges::move(results::examine(run), std::back_inserter(examined.findings));
    examined.runs.push_back(std::move(run));
  }
  return {};
}

Result<std::optional<results::Hardware>> hardware_of(const DoctorResultsConfig& config) {
  if (config.platform.empty()) return std::optional<results::Hardware>();
  auto system = topo::built_in_platform(config.platform);
  if (!system) return Failure{"--platform: " + system.sentence()};
  return std::optional(results::Hardware{
      .system = *std::move(system), .nnodes = config.nnodes, .nccl = config.nccl});
}

}  // namespace

ExitCode doctor_results(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_results)) return ExitCode::ok;
  const auto config = parse_doctor_results(input.call.words);
  if (!config) return refuse(config.sentence());
  if (const auto why = unknown_finding(config->skip)) return refuse(*why);
  const auto hardware = hardware_of(*config);
  if (!hardware) return refuse(hardware.sentence());
  ExaminedResults examined;
  for (const auto& file : config->files)
    if (const auto why = examine_file(file, *hardware, examined); why) return refuse(*why);
  auto& findings = examined.findings;
  leave_out(findings, config->skip);
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::severity);
  TextFile::standard_output().write(config->json ? results::report_json(examined.runs, findings)
                                                 : results::report_text(examined.runs, findings));
  return any_from(findings, config->fail_on) ? ExitCode::finding : ExitCode::ok;
}

}  // namespace linerate
