#include "commands/plan_measure.h"

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "commands/child.h"
#include "commands/scratch_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linerate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecordBytes = std::size_t{64} << 20;
constexpr int kSizeFactor = 4;  // between the sizes of a call
constexpr int kIterations = 20;
constexpr double kSmallestBytes = 64;

fs::path tool_path(std::string_view name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

std::string tool_of(plan::CallKind call) {
  if (call == plan::CallKind::all_to_all) return "alltoall_perf";
  return std::string(plan::kCallNames[static_cast<std::size_t>(call)]) + "_perf";
}

ChildEnd run_tool(const CommandInput& input, const ChildCall& call) {
  auto end = run_child(call, input.interrupted);
  if (input.interrupted()) throw Error("interrupted", ExitCode::interrupted);
  if (end.code != 0 && end.code != static_cast<int>(ExitCode::finding))
    throw Error(
        fmt::format("{} ended with exit code {}: {}", call.program, end.code, trim(end.errors)));
  return end;
}

// Of each size the slowest group's time, in place or not.
std::map<double, double> times_in(std::string_view records) {
  std::map<double, double> times;
  for (const auto& line : split(records, '\n')) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || record.value("kind", "") != "result") continue;
    auto& us = times[record["case"]["bytes"].get<double>()];
    us = std::max(us, record["samples_us"]["median"].get<double>());
  }
  return times;
}

// One run of a tool over all sizes that are asked for.
void measure_call(const CommandInput& input, const plan::Needs::Calls& need,
                  plan::Measurements& known, const fs::path& folder) {
  const auto records = folder / "calls.jsonl";
  std::error_code none;
  fs::remove(records, none);
  const auto round = [](double bytes) { return fmt::format("{:.0f}", std::max(bytes, 4.0)); };
  double least = kSmallestBytes;
  while (least * kSizeFactor < need.least_bytes) least *= kSizeFactor;
  double most = least;
  while (most < need.most_bytes) most *= kSizeFactor;
  const auto path = tool_path(tool_of(need.call)).string();
  const auto cuts = fmt::format("DIV{}", need.size);
  run_tool(input, {.program = path,
                   .argv = {path, "-t", fmt::to_string(known.nranks), "-b", round(least), "-e",
                            round(most), "-f", fmt::to_string(kSizeFactor), "-n",
                            fmt::to_string(kIterations), "-c", "0", "--backend", "host", "--jsonl",
                            records.string()},
                   .variables = {{"NCCL_TESTS_SPLIT", need.size < known.nranks ? cuts : ""}},
                   .captured = true});
  const auto text = read_regular_file(records.string(), kMostRecordBytes);
  if (!text) throw Error(text.sentence());
  for (const auto& [bytes, us] : times_in(*text))
    if (bytes > 0) known.calls.push_back({need.call, need.size, bytes, us});
}

void measure_kernels(const CommandInput& input, const std::vector<plan::Kernel>& kernels,
                     plan::Measurements& known) {
  std::string wanted;
  for (const auto& kernel : kernels)
    wanted += fmt::format("{} {} {} {}\n", name_of(kernel.kind), kernel.m, kernel.n, kernel.k);
  const auto path = tool_path("math_perf").string();
  if (!fs::exists(path))
    throw Unavailable(
        fmt::format("{} is not there, which times kernels: build the target trainers.", path));
  const auto end =
      run_tool(input, {.program = path,
                       .argv = {path, fmt::to_string(std::min(known.nranks, known.cores))},
                       .input = wanted,
                       .captured = true});
  const auto lines = split(trim(end.output), '\n');
  if (lines.size() != kernels.size())
    throw Error(fmt::format("{} timed {} of {} kernels.", path, lines.size(), kernels.size()));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto us = nlohmann::json::parse(lines[i], nullptr, false);
    if (!us.is_number()) throw Error(fmt::format("{} wrote '{}'.", path, plain_text(lines[i])));
    known.kernels_us[kernels[i]] = us.get<double>();
  }
}

bool is_known(const plan::Measurements& known, const plan::Needs::Calls& need) {
  double most = 0;
  for (const auto& call : known.calls)
    if (call.call == need.call && call.size == need.size) most = std::max(most, call.bytes);
  return most >= need.most_bytes;
}

}  // namespace

void measure(const CommandInput& input, const plan::Needs& needs, plan::Measurements& known) {
  std::vector<plan::Kernel> kernels;
  for (const auto& kernel : needs.kernels)
    if (!known.kernels_us.contains(kernel)) kernels.push_back(kernel);
  std::vector<plan::Needs::Calls> calls;
  for (const auto& need : needs.calls)
    if (!is_known(known, need)) calls.push_back(need);
  if (kernels.empty() && calls.empty()) return;
  say(fmt::format("note: measuring {} kernels and {} calls of this machine", kernels.size(),
                  calls.size()));
  if (!kernels.empty()) measure_kernels(input, kernels, known);
  const ScratchFolder folder;
  for (const auto& need : calls) {
    std::erase_if(known.calls, [&](const plan::MeasuredCall& call) {
      return call.call == need.call && call.size == need.size;
    });
    measure_call(input, need, known, folder.path());
  }
}

}  // namespace linerate
