// See dry_run.h.
#include "commands/dry_run.h"

#include "base/units.h"
#include "bench/plan.h"
#include "job/backend_choice.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace linerate {
namespace {

constexpr int kNameWidth = 11;
constexpr std::size_t kMaxGroups = 8;  // more are counted only

std::string line(std::string_view name, std::string_view text) {
  return text.empty() ? std::string() : fmt::format("{:<{}}{}\n", name, kNameWidth, text);
}

// "1 process", "2 processes".
std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string ranks_line(const RunConfig& config, int nranks) {
  const int in_process = config.nthreads * config.ngpus;
  return fmt::format(
      "{}: {} x {} x {}", nranks,
      counted(static_cast<std::uint64_t>(nranks / in_process), "process", "processes"),
      counted(static_cast<std::uint64_t>(config.nthreads), "thread", "threads"),
      counted(static_cast<std::uint64_t>(config.ngpus), "rank", "ranks"));
}

std::string groups_text(const RunConfig& config, int nranks) {
  if (config.split.kind == SplitRule::Kind::none) return {};
  const auto groups = group_sizes(config, nranks);
  auto text = counted(groups.size(), "group", "groups");
  if (groups.size() > kMaxGroups) return text;
  std::string_view before = ": ";
  for (const auto& [color, size] : groups) {
    text += fmt::format("{}{} of {}", before, color,
                        counted(static_cast<std::uint64_t>(size), "rank", "ranks"));
    before = ", ";
  }
  return text;
}

std::string sizes_text(const RunConfig& config) {
  const auto sizes = sweep_sizes(config);
  if (sizes.size() == 1) return bytes_text(sizes.front());
  const auto step = config.step_factor > 1
                        ? fmt::format("each {} times the one before", config.step_factor)
                        : fmt::format("in steps of {}", bytes_text(config.step_bytes));
  return fmt::format("{} from {} to {}, {}", sizes.size(), bytes_text(sizes.front()),
                     bytes_text(sizes.back()), step);
}

template <typename List>
std::string listed(const List& list) {
  std::vector<std::string_view> words;
  for (const auto item : list) words.push_back(name_of(item));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string collective_lines(const RunConfig& config, int nranks) {
  const auto& row = *config.collective;
  const auto cases = plan_cases(config, smallest_group(config, nranks));
  auto text = line("collective", fmt::format("{}: {}", row.name, row.summary));
  text += line("sizes", sizes_text(config)) + line("types", listed(config.types));
  if (row.reduces) text += line("operators", listed(config.ops));
  if (row.rooted) text += line("roots", config.root < 0 ? "all" : fmt::to_string(config.root));
  return text + line("cases", fmt::format("{}, each {}", cases.size(),
                                          row.in_place ? "out of place and in place"
                                                       : "out of place; in place is not checked"));
}

std::string pairs_lines(const RunConfig& config, int nranks) {
  const auto pairs =
      static_cast<std::uint64_t>(nranks) * static_cast<std::uint64_t>(nranks - 1) / 2;
  return line("pairs", fmt::format("{}, {}", pairs,
                                   config.at_once ? "disjoint ones at the same time"
                                                  : "one after the other")) +
         line("sizes", fmt::format("latency {}, bandwidth {}", bytes_text(config.min_bytes),
                                   bytes_text(config.max_bytes)));
}

std::string iterations_text(const RunConfig& config) {
  auto text = counted(config.iters, "iteration", "iterations");
  if (config.agg_iters > 1) text += fmt::format(" of {} calls", config.agg_iters);
  text += fmt::format(", {} untimed before, {} of verification", config.warmup_iters,
                      counted(static_cast<std::uint64_t>(config.check), "round", "rounds"));
  if (config.run_cycles == 0) return text + "; the sweep is repeated for ever";
  if (config.run_cycles == 1) return text;
  return text + fmt::format("; {} sweeps", config.run_cycles);
}

// How many hosts there are is known only once the processes have met.
std::string backend_line(const RunConfig& config, const Identity& identity, bool gpus) {
  const auto choice = choose_backend(config, {.launcher = identity.launcher, .gpus = gpus});
  const bool may_span = identity.launcher == Launcher::slurm || identity.launcher == Launcher::env;
  const bool depends = choice.name == "host" && config.backend == "auto" && may_span;
  return fmt::format("{} ({}){}", choice.name, choice.reason,
                     depends ? "; gloo on several hosts" : "");
}

std::string files_text(const RunConfig& config) {
  std::vector<std::string> files;
  if (!config.jsonl_file.empty()) files.push_back(config.jsonl_file + " (JSON Lines, appended)");
  if (!config.csv_file.empty()) files.push_back(config.csv_file + " (CSV, appended)");
  if (!config.json_file.empty())
    files.push_back(config.json_file + " (nccl-tests' JSON; numbered where it exists)");
  return files.empty() ? "none" : fmt::format("{}", fmt::join(files, ", "));
}

}  // namespace

std::string dry_run_text(const ParsedRun& parsed, const Identity& identity, int nranks, bool gpus) {
  const auto& config = parsed.config;
  return line("program", config.program) + line("backend", backend_line(config, identity, gpus)) +
         line("launcher", name_of(identity.launcher)) + line("ranks", ranks_line(config, nranks)) +
         line("groups", groups_text(config, nranks)) +
         (config.collective == nullptr ? pairs_lines(config, nranks)
                                       : collective_lines(config, nranks)) +
         line("iterations", iterations_text(config)) +
         line("options", parsed.changed.empty()
                             ? "the defaults"
                             : fmt::format("{}", fmt::join(parsed.changed, ", "))) +
         line("files", files_text(config));
}

}  // namespace linerate
