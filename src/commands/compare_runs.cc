// Each run gets a file for its JSON Lines in LINERATE_JSONL; where it stays empty, its stdout is
// read.
#include "commands/compare_runs.h"

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "commands/child.h"
#include "commands/describe.h"
#include "commands/scratch_folder.h"
#include "commands/turns_progress.h"
#include "compare/comparison.h"
#include "compare/import.h"
#include "launch/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

namespace linerate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownBytes = 2000;  // of the last words of a command that failed

std::uint64_t random_seed() {
  std::random_device source;
  return source();
}

class Turns {
 public:
  Turns(const CommandInput& input, const CompareConfig& config)
      : input_(input),
        config_(config),
        study_(random_id()),
        seed_(config.seed.value_or(random_seed())),
        progress_(std::string(config.program),
                  std::vector<std::size_t>(at_once() ? 1 : config.commands.size(),
                                           static_cast<std::size_t>(config.times())),
                  progress_style(config.progress, TextFile::standard_error().terminal())) {
    measured_.sides.resize(config.commands.size());
    for (std::size_t i = 0; i < config.commands.size(); ++i)
      measured_.sides[i].side.name = config.commands[i];
  }

  MeasuredSides run();

 private:
  void take(const Turn& turn);
  void take_both(int repeat, std::size_t first);
  void need_turns(const TurnKeeper& keeper) const;
  void add(const Turn& turn, const ChildEnd& end);
  ChildCall call_of(const Turn& turn) const;
  fs::path records_of(const Turn& turn) const;
  RunFile runs_of(const Turn& turn, const ChildEnd& end, const fs::path& records) const;
  [[noreturn]] void fail(const Turn& turn, const ChildEnd& end) const;
  void keep(std::size_t command, const std::string& jsonl) const;
  bool at_once() const { return config_.turns == TurnsAt::windows; }
  const std::string& command_of(const Turn& turn) const { return config_.commands[turn.side]; }

  const CommandInput& input_;
  const CompareConfig& config_;
  std::string study_;
  std::uint64_t seed_;
  TurnsProgress progress_;
  ScratchFolder scratch_;
  MeasuredSides measured_;
};

// The end of what the command said, so that its reason is not lost.
void Turns::fail(const Turn& turn, const ChildEnd& end) const {
  auto words = trim(end.errors.empty() ? std::string_view(end.output) : end.errors);
  if (words.size() > kShownBytes) words.remove_prefix(words.size() - kShownBytes);
  if (!words.empty()) say(std::string(words));
  throw Error(fmt::format("Run {} of '{}' ended with exit code {}.", turn.repeat, command_of(turn),
                          end.code));
}

RunFile Turns::runs_of(const Turn& turn, const ChildEnd& end, const fs::path& records) const {
  std::error_code missing;
  const bool wrote = fs::exists(records, missing) && fs::file_size(records, missing) > 0;
  const auto text = wrote ? read_regular_file(records.string(), ImportLimits{}.bytes)
                          : Result<std::string>(end.output);
  if (!text) throw Error(text.sentence());
  if (!wrote && end.cut)
    throw Error(
        fmt::format("'{}' prints more than {}.", command_of(turn), bytes_text(kMostOutputBytes)),
        ExitCode::usage);
  const auto* origin = wrote ? "JSON Lines of" : "stdout of";
  auto read = read_runs(fmt::format("{} {}", origin, command_of(turn)), *text);
  if (!read) throw Error(read.sentence(), ExitCode::usage);
  auto file = *std::move(read);
  if (wrote) return file;
  const auto id = random_id();
  for (auto& run : file.runs) {
    const auto own = id + run.run_id;
    for (auto& record : file.records)
      if (record.run_id == run.run_id) record.run_id = own;
    run.run_id = own;
    run.study = study_;
    run.repeat = turn.repeat;
    if (at_once()) run.turns = name_of(TurnsAt::windows);
    if (run.start_time.empty()) run.start_time = utc_text(std::chrono::system_clock::now());
  }
  return file;
}

void Turns::keep(std::size_t command, const std::string& jsonl) const {
  if (config_.keep_folder.empty()) return;
  std::error_code failed;
  fs::create_directories(config_.keep_folder, failed);
  const auto path = kept_file(config_, command);
  auto opened = TextFile::append(path.string(), input_.interrupted);
  if (!opened) throw Error(opened.sentence(), ExitCode::usage);
  auto file = std::move(opened).value();
  file.write(jsonl);
}

fs::path Turns::records_of(const Turn& turn) const {
  return scratch_.path() / fmt::format("{}-{}.jsonl", turn.side, turn.repeat);
}

ChildCall Turns::call_of(const Turn& turn) const {
  return {.program = "/bin/sh",
          .argv = {"/bin/sh", "-c", command_of(turn)},
          .variables = {{"LINERATE_STUDY", fmt::format("{}:{}", study_, turn.repeat)},
                        {"LINERATE_JSONL", records_of(turn).string()}},
          .captured = true};
}

void Turns::take(const Turn& turn) {
  progress_.begins(turn.side);
  const auto end = run_child(call_of(turn), input_.interrupted);
  progress_.ended(turn.side, end.seconds);
  progress_.clear();
  add(turn, end);
}

// Both sides at once, which take turns at windows. Who has the first turn is also started first.
void Turns::take_both(int repeat, std::size_t first) {
  const std::array<Turn, 2> both{{{first, repeat}, {1 - first, repeat}}};
  TurnKeeper keeper(both.size(), first);
  std::vector<ChildCall> calls;
  for (const auto& turn : both) {
    calls.push_back(call_of(turn));
    calls.back().variables.emplace_back("LINERATE_TURNS", keeper.address(turn.side));
  }
  std::optional<std::size_t> broken;  // by itself: then the other is asked to end
  progress_.begins(0);
  const auto ends = run_children(calls, input_.interrupted,
                                 {.started = [&] { keeper.start(); },
                                  .ended =
                                      [&](std::size_t call, int code) {
                                        keeper.ended(both[call].side);
                                        if (is_failure(code) && !broken) broken = call;
                                      }});
  progress_.ended(0, std::max(ends[0].seconds, ends[1].seconds));
  progress_.clear();
  if (broken) return add(both[*broken], ends[*broken]);
  if (!input_.interrupted()) need_turns(keeper);
  for (std::size_t call = 0; call < both.size() && !measured_.interrupted; ++call)
    add(both[call], ends[call]);
}

void Turns::need_turns(const TurnKeeper& keeper) const {
  for (std::size_t side = 0; side < config_.commands.size(); ++side)
    if (!keeper.asked(side))
      throw Error(fmt::format("'{}' takes no turns at windows: give linerate's benchmarks (all "
                              "*_perf), with rank 0 on this host, or leave --turns out.",
                              config_.commands[side]),
                  ExitCode::usage);
}

void Turns::add(const Turn& turn, const ChildEnd& end) {
  const auto code = static_cast<ExitCode>(end.code);
  measured_.interrupted = input_.interrupted() || code == ExitCode::interrupted;
  if (measured_.interrupted) return;
  if (is_failure(end.code)) fail(turn, end);
  const auto records = records_of(turn);
  const auto file = runs_of(turn, end, records);
  auto& loaded = measured_.sides[turn.side];
  const auto jsonl = jsonl_of(file);
  append(loaded.side, side_of(loaded.side.name, file));
  loaded.jsonl += jsonl;
  keep(turn.side, jsonl);
  std::error_code gone;
  fs::remove(records, gone);
}

MeasuredSides Turns::run() {
  if (config_.commands.size() > 1)
    say(fmt::format("note: the order of turns is drawn with --seed {}", seed_));
  if (at_once()) {
    int repeat = 0;
    for (const auto first : first_turns(config_.times(), seed_)) {
      take_both(++repeat, first);
      if (measured_.interrupted) break;
    }
    return std::move(measured_);
  }
  for (const auto& turn : turns(config_.commands.size(), config_.times(), seed_)) {
    take(turn);
    if (measured_.interrupted) break;
  }
  return std::move(measured_);
}

}  // namespace

fs::path kept_file(const CompareConfig& config, std::size_t command) {
  const bool first = config.sources.size() + command == 0;
  return fs::path(config.keep_folder) / (first ? "a.jsonl" : "b.jsonl");
}

MeasuredSides measure_sides(const CommandInput& input, const CompareConfig& config) {
  if (config.commands.empty()) return {};
  return Turns(input, config).run();
}

}  // namespace linerate
