// The runs are this program again, told by LINERATE_STUDY which one they are. Not forks of this
// process: these would share the layout of its memory, which is part of what differs between runs.
#include "commands/repeat.h"

#include "base/file.h"
#include "base/log.h"
#include "commands/child.h"
#include "commands/describe.h"
#include "commands/repeat_summary.h"
#include "commands/scratch_folder.h"
#include "commands/turns_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace linerate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of the file that runs are appended to

// The command line without --repeat.
std::vector<std::string> without_repeat(const std::vector<std::string>& args) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--repeat")
      ++i;
    else if (!args[i].starts_with("--repeat="))
      words.push_back(args[i]);
  }
  return words;
}

// What the runs have appended to `path`; nothing from a pipe or a device.
std::optional<RunFile> runs_in(const std::string& path, std::uintmax_t old_bytes) {
  const auto text = read_regular_file(path, kMostBytes);
  if (!text || text->size() < old_bytes) return std::nullopt;
  auto file = read_jsonl(std::string_view(*text).substr(old_bytes));
  if (!file || file->runs.empty() || file->records.empty()) return std::nullopt;
  return *std::move(file);
}

// What a file holds of the runs of one program.
RunFile only(const RunFile& file, std::string_view program) {
  RunFile own;
  std::set<std::string_view> ids;
  for (const auto& run : file.runs)
    if (run.program == program) {
      ids.insert(run.run_id);
      own.runs.push_back(run);
    }
  for (const auto& record : file.records)
    if (ids.contains(record.run_id)) own.records.push_back(record);
  for (const auto& end : file.ends)
    if (ids.contains(end.run_id)) own.ends.push_back(end);
  return own;
}

// The runs one after the other.
class Repetition {
 public:
  Repetition(const CommandInput& input, const RunConfig& config, std::span<const RunConfig> runs)
      : input_(input),
        config_(config),
        runs_(runs),
        study_(config.study.empty() ? random_id() : config.study),
        records_(config.jsonl_file),
        progress_(config.program, {static_cast<std::size_t>(config.repeat)},
                  progress_style(config.progress, TextFile::standard_error().terminal())) {
    std::error_code missing;
    if (records_.empty()) records_ = (scratch_.path() / "runs.jsonl").string();
    if (fs::is_regular_file(records_, missing)) old_bytes_ = fs::file_size(records_, missing);
  }

  ExitCode run();

 private:
  ExitCode run_once(int repeat);
  void print() const;

  const CommandInput& input_;
  const RunConfig& config_;
  std::span<const RunConfig> runs_;
  ScratchFolder scratch_;
  std::string study_;
  std::string records_;
  std::uintmax_t old_bytes_ = 0;
  TurnsProgress progress_;
};

ExitCode Repetition::run_once(int repeat) {
  progress_.begins(0);
  progress_.clear();  // the run has a line of its own
  ChildCall call{.program = "/proc/self/exe",
                 .argv = without_repeat(input_.call.args),
                 .prints_on_stderr = std::ranges::any_of(runs_, has_table)};
  if (config_.repetition == 0) {  // else a comparison has numbered them
    auto which = fmt::format("{}:{}/{}", study_, repeat, config_.repeat);
    if (const auto each_s = progress_.mean_seconds(0)) which += fmt::format("/{:.3f}", *each_s);
    call.variables.emplace_back("LINERATE_STUDY", std::move(which));
  }
  if (config_.jsonl_file.empty()) call.variables.emplace_back("LINERATE_JSONL", records_);
  const auto end = run_child(call, input_.interrupted);
  progress_.ended(0, end.seconds);
  return static_cast<ExitCode>(end.code);
}

// Also of a repetition that was cut short.
void Repetition::print() const {
  const auto file = runs_in(records_, old_bytes_);
  if (!file) return;
  for (const auto& run : runs_) {
    const auto own = only(*file, run.program);
    if (own.records.empty()) continue;
    if (has_table(run)) print_median_table(run, own);
    TextFile::standard_output().write(repeat_summary(own));
  }
}

ExitCode Repetition::run() {
  auto code = ExitCode::ok;
  for (int repeat = 1; repeat <= config_.repeat; ++repeat) {
    const auto ended = run_once(repeat);
    if (ended != ExitCode::ok) code = ended;
    const bool goes_on = ended == ExitCode::ok || ended == ExitCode::finding;
    if (input_.interrupted()) code = ExitCode::interrupted;
    if (goes_on && code != ExitCode::interrupted) continue;
    say(fmt::format("--repeat ends after run {} of {}", repeat, config_.repeat));
    break;
  }
  print();
  return code;
}

}  // namespace

Refusal repeat_refusal(const RunConfig& config, Launcher launcher) {
  if (config.repeat == 1 || launcher == Launcher::none || launcher == Launcher::nprocs) return {};
  return fmt::format(
      "--repeat starts processes itself, but {0} has started these. Repeat the launch instead: "
      "for i in $(seq {1}); do LINERATE_STUDY=NAME:$i {0} ... {2} ... --jsonl FILE; done, and give "
      "the files to linerate compare.",
      name_of(launcher), config.repeat, config.program);
}

ExitCode repeat_tool(const CommandInput& input, const RunConfig& config,
                     std::span<const RunConfig> runs) {
  input.answer_interrupts(false);  // the run that hears it does
  return Repetition(input, config, runs).run();
}

}  // namespace linerate
