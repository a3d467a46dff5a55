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

// How NCCL_TESTS_SPLIT groups a host's ranks by size, or a network's: colour = rank AND mask, of
// which a group's ranks have the same bits.
std::pair<std::string, std::string> split_of(const plan::CallGroup& group, int nranks,
                                             bool over_network) {
  if (!over_network)
    return {"NCCL_TESTS_SPLIT", group.size < nranks ? fmt::format("DIV{}", group.size) : ""};
  const int run = group.run > 0 ? group.run : group.size;
  const int differ = (run - 1) * group.stride + (group.size / run - 1) * group.jump;
  const int same = (nranks - 1) & ~differ;
  return {"NCCL_TESTS_SPLIT_MASK", same != 0 ? fmt::format("{:x}", same) : ""};
}

// One run of a tool over all sizes that are asked for.
void measure_call(const Measuring& how, const plan::Needs::Calls& need, bool over_network,
                  const fs::path& folder, plan::Measurements& known) {
  const auto records = folder / "calls.jsonl";
  std::error_code none;
  fs::remove(records, none);
  const auto round = [](double bytes) { return fmt::format("{:.0f}", std::max(bytes, 4.0)); };
  double least = kSmallestBytes;
  while (least * kSizeFactor < need.least_bytes) least *= kSizeFactor;
  double most = least;
  while (most < need.most_bytes) most *= kSizeFactor;
  const auto path = tool_path(tool_of(need.call)).string();
  std::vector<std::string> argv{path,
                                "-t",
                                fmt::to_string(known.nranks),
                                "-b",
                                round(least),
                                "-e",
                                round(most),
                                "-f",
                                fmt::to_string(kSizeFactor),
                                "-n",
                                fmt::to_string(kIterations),
                                "-c",
                                "0",
                                "--backend",
                                "host",
                                "--jsonl",
                                records.string()};
  if (over_network) argv.insert(argv.end(), {"--emulate", how.emulate_file});
  run_tool(how.input, {.program = path,
                       .argv = std::move(argv),
                       .variables = {split_of(need.group, known.nranks, over_network)},
                       .captured = true});
  const auto text = read_regular_file(records.string(), kMostRecordBytes);
  if (!text) throw Error(text.sentence());
  auto& calls = over_network ? known.network.calls : known.calls;
  for (const auto& [bytes, us] : times_in(*text))
    if (bytes > 0) calls.push_back({need.call, need.group, bytes, us});
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

bool is_of(const plan::MeasuredCall& call, const plan::Needs::Calls& need) {
  return call.call == need.call && call.group == need.group;
}

// Of the needs those that `known` has not up to their largest size; what it has of them is dropped.
std::vector<plan::Needs::Calls> missing(const std::vector<plan::Needs::Calls>& needs,
                                        std::vector<plan::MeasuredCall>& known) {
  std::vector<plan::Needs::Calls> all;
  for (const auto& need : needs) {
    double most = 0;
    for (const auto& call : known)
      if (is_of(call, need)) most = std::max(most, call.bytes);
    if (most >= need.most_bytes) continue;
    std::erase_if(known, [&](const plan::MeasuredCall& call) { return is_of(call, need); });
    all.push_back(need);
  }
  return all;
}

}  // namespace

void measure(const Measuring& how, const plan::Needs& needs, plan::Measurements& known) {
  std::vector<plan::Kernel> kernels;
  for (const auto& kernel : needs.kernels)
    if (!known.kernels_us.contains(kernel)) kernels.push_back(kernel);
  const auto calls = missing(needs.calls, known.calls),
             over_network = missing(needs.over_network, known.network.calls);
  if (kernels.empty() && calls.empty() && over_network.empty()) return;
  say(fmt::format(
      "note: measuring {} kernels and {} calls of this machine{}", kernels.size(), calls.size(),
      over_network.empty() ? "" : fmt::format(", and {} over the network", over_network.size())));
  if (!kernels.empty()) measure_kernels(how.input, kernels, known);
  const ScratchFolder folder;
  for (const auto& need : calls) measure_call(how, need, false, folder.path(), known);
  for (const auto& need : over_network) measure_call(how, need, true, folder.path(), known);
}

}  // namespace linerate
