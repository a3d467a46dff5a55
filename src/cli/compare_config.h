// What `linerate compare` was asked to do.
#pragma once

#include "base/result.h"
#include "cli/option.h"
#include "compare/comparison.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

struct CompareConfig {
  std::vector<std::string> sources{};   // files, folders, names of baselines
  std::vector<std::string> commands{};  // --run: sides behind those of the sources
  std::optional<int> repeats{};         // --repeat
  TurnsAt turns = TurnsAt::runs;
  std::optional<std::uint64_t> seed{};  // of the order of turns; nothing: a random one
  std::string keep_folder{};            // --keep; empty: what --run measures is not kept
  std::optional<RunStatistic> statistic{};
  double smallest = 0;  // relative
  bool force = false;
  bool gate = false;
  bool markdown = false, json = false;
  std::string junit_file{};
  std::string save_baseline{};
  bool list_baselines = false;
  std::optional<bool> progress{};                 // nothing: where stderr is a terminal
  std::string_view program = "linerate compare";  // as progress says

  // How often each command is started: turns at windows want many short runs rather than few long
  // ones (comparing-runs.md#taking-turns).
  int times() const { return repeats.value_or(turns == TurnsAt::windows ? 30 : 10); }
  std::size_t sides() const { return sources.size() + commands.size(); }
};

// Of --smallest.
Refusal set_smallest(const Argument& given, CompareConfig& config);

// The words behind `linerate compare`: options, and up to two that are none.
Result<CompareConfig> parse_compare(const std::vector<std::string>& words);

}  // namespace linerate
