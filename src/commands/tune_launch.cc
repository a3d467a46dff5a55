#include "commands/tune_launch.h"

#include "base/error.h"
#include "commands/limited_run.h"
#include "compare/runs.h"
#include "sweep/outcome.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using sweep::Outcome;

std::map<std::size_t, double> times_of(const RunFile& records) {
  std::map<std::size_t, std::vector<double>> logs;
  for (const auto& run : side_of({}, records).runs)
    for (const auto& [key, times] : run.cases)
      logs[key.bytes].push_back(std::log(times.median_us.value_or(times.window_us)));
  std::map<std::size_t, double> us;
  for (const auto& [bytes, own] : logs) {
    double sum = 0;
    for (const double one : own) sum += one;
    us[bytes] = std::exp(sum / static_cast<double>(own.size()));
  }
  return us;
}

}  // namespace

tuning::Run TuneLauncher::run(const Collective& collective, const tuning::Variables& variables) {
  sweep::Case one{.collective = &collective,
                  .sizes = study_.sizes.front(),
                  .backend = study_.backends.front(),
                  .nodes = study_.nodes.front(),
                  .ranks_per_node = study_.ranks_per_node.front()};
  for (const auto& [name, value] : variables) one.environment[name] = value;
  progress_.begins(0);
  const auto path = scratch_.path() / "run.jsonl";
  const auto end = run_limited(
      {.command = sweep::command_of(study_, one, (programs_folder() / "linerate").string()),
       .records = path,
       .limit_s = limit_s_},
      input_);
  progress_.ended(0, end.child.seconds);
  progress_.clear();
  if (end.interrupted) throw Error("interrupted: nothing was kept", ExitCode::interrupted);
  const auto records = records_of(end, path).records;
  const auto [outcome, reason] = sweep::judged(
      {.code = end.child.code, .limit_s = limit_s_, .cut = end.hung, .said = end.said}, records);
  if (outcome != Outcome::ok && outcome != Outcome::slow)
    return {.us = {}, .failure = fmt::format("{}: {}", sweep::name_of(outcome), reason)};
  return {.us = times_of(records), .failure = {}};
}

tuning::Launch TuneLauncher::with(const tuning::Variables& base) {
  return [this, base](const Collective& collective, const tuning::Variables& own) {
    auto variables = own;
    variables.insert(base.begin(), base.end());
    return run(collective, variables);
  };
}

}  // namespace linerate
