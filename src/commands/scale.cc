// linerate scale: trainers on more and more ranks, one run after the other in an order drawn by
// lot; what has ended is in runs.jsonl, so that an interrupted study goes on.
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/scale_config.h"
#include "commands/build_info.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/limited_run.h"
#include "commands/report.h"
#include "commands/scratch_folder.h"
#include "commands/turns_progress.h"
#include "compare/comparison.h"
#include "launch/place.h"
#include "output/text_file.h"
#include "scale/run_result.h"
#include "scale/scaling.h"
#include "scale/scaling_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace linerate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostStudyBytes = std::size_t{256}
                                        << 20;  // of runs.jsonl, and of a run's lines

struct Plan {
  std::vector<scale::Point> points{};
  std::vector<std::string> commands{};  // of these
  std::vector<Turn> order{};            // each side a point
};

Plan plan_of(const ScaleConfig& config, std::uint64_t seed) {
  Plan plan{.points = scale::points_of(config.study)};
  for (const auto& point : plan.points)
    plan.commands.push_back(scale::command_of(config.study, point, programs_folder()));
  plan.order = turns(plan.points.size(), config.study.repeats, seed);
  return plan;
}

class StudyRun {
 public:
  StudyRun(const CommandInput& input, const ScaleConfig& config, std::uint64_t seed)
      : input_(input),
        config_(config),
        plan_(plan_of(config, seed)),
        file_(fs::path(config.folder) / "runs.jsonl") {}

  ExitCode run();

 private:
  void load();
  void run_all();
  bool is_own(const scale::RunResult& result) const;
  bool is_of(const scale::RunResult& result, std::size_t point) const;
  void say_what_differs() const;
  std::vector<std::string> facts() const;
  bool is_done(const Turn& turn) const;
  std::vector<std::string> names_of_points() const;
  scale::RunResult run_one(const Turn& turn);
  void judge(const LimitedEnd& end, const fs::path& records, scale::RunResult& result) const;
  void print() const;
  void make_page(const std::string& json) const;

  const CommandInput& input_;
  const ScaleConfig& config_;
  const Plan plan_;
  const fs::path file_;
  std::size_t whole_bytes_ = 0;  // of the file: behind them stands a line that was torn
  ScratchFolder scratch_;
  std::vector<scale::RunResult> results_;
  bool interrupted_ = false;
};

// What earlier calls have measured; of another study's points nothing is taken.
void StudyRun::load() {
  std::error_code failed;
  fs::create_directories(config_.folder, failed);
  if (failed)
    throw Error(
        fmt::format("The folder '{}' cannot be made: {}.", config_.folder, failed.message()),
        ExitCode::usage);
  if (!fs::exists(file_, failed)) return;
  const auto text = read_regular_file(file_.string(), kMostStudyBytes);
  if (!text) throw Error(fmt::format("{}: {}", file_.string(), text.sentence()), ExitCode::usage);
  auto results = scale::read_results(*text);
  if (!results) throw Error(file_.string() + results.sentence(), ExitCode::usage);
  whole_bytes_ = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
  for (const auto& result : *results)
    if (is_own(result)) results_.push_back(result);
}

// A run of a point of this study that need not be repeated.
bool StudyRun::is_own(const scale::RunResult& result) const {
  if (result.outcome == scale::Outcome::failed || result.outcome == scale::Outcome::hung)
    return false;
  for (std::size_t i = 0; i < plan_.points.size(); ++i)
    if (is_of(result, i)) return true;
  return false;
}

bool StudyRun::is_of(const scale::RunResult& result, std::size_t point) const {
  const auto& own = plan_.points[point];
  return result.layout == config_.study.layouts[own.layout].name && result.nranks == own.nranks &&
         result.batch == own.batch && result.control == own.control &&
         result.command == plan_.commands[point];
}

// Of which linerate, and where: runs of others beside them would be no repetitions.
void StudyRun::say_what_differs() const {
  std::set<std::string> versions, hosts;
  for (const auto& result : results_) {
    versions.insert(result.version);
    hosts.insert(result.hostname);
  }
  constexpr std::string_view kAdvice = "Name another folder to measure anew.";
  warn_of_several("versions of linerate", versions, kAdvice);
  warn_of_several("hosts", hosts, kAdvice);
}

// For the page, which may be handed on: what ran, where and when.
std::vector<std::string> StudyRun::facts() const {
  std::vector<std::string> facts;
  for (const auto& layout : config_.study.layouts)
    facts.push_back(fmt::format("{}: {}", layout.name, layout.command));
  if (!config_.study.options.empty()) facts.push_back(config_.study.options);
  facts.push_back(fmt::format("{} of {} steps, started as {}", counted(results_.size(), "run"),
                              config_.study.steps, config_.study.start));
  if (results_.empty()) return facts;
  const auto& last = results_.back();
  facts.push_back(fmt::format("{}, {}, linerate {}", last.hostname, last.start_time, last.version));
  return facts;
}

bool StudyRun::is_done(const Turn& turn) const {
  return std::ranges::any_of(results_, [&](const scale::RunResult& result) {
    return result.repeat == turn.repeat && is_of(result, turn.side);
  });
}

void StudyRun::judge(const LimitedEnd& end, const fs::path& records,
                     scale::RunResult& result) const {
  const int code = end.child.code;
  result.exit_code = code;
  result.elapsed_s = end.child.seconds;
  if (code == 0 && !end.hung) {
    const auto text = read_regular_file(records.string(), kMostStudyBytes);
    if (const auto times = text ? scale::step_times_of(*text) : std::nullopt) {
      result.times = *times;
      if (!result.control) result.pipeline_step = scale::pipeline_step_of(*text);
      return;
    }
  }
  result.outcome = end.hung    ? scale::Outcome::hung
                   : code == 2 ? scale::Outcome::refused
                               : scale::Outcome::failed;
  result.reason = end.hung    ? fmt::format("it took longer than {:g} s", config_.limit_s)
                  : code == 0 ? "it wrote no steps with times and tokens to --jsonl"
                              : end.said;
}

scale::RunResult StudyRun::run_one(const Turn& turn) {
  const auto& point = plan_.points[turn.side];
  scale::RunResult result{
      .layout = config_.study.layouts[point.layout].name,
      .nranks = point.nranks,
      .batch = point.batch,
      .control = point.control,
      .repeat = turn.repeat,
      .command = plan_.commands[turn.side],
      .start_time = utc_text(std::chrono::system_clock::now()),
      .hostname = this_host().hostname,
      .version = fmt::format("{} {}", build_info().version, build_info().commit),
      .load_1min = load_1min()};
  const auto records = scratch_.path() / "run.jsonl";
  const auto end = run_limited(
      {.command = result.command, .records = records, .limit_s = config_.limit_s}, input_);
  interrupted_ = end.interrupted;
  judge(end, records, result);
  return result;
}

std::vector<std::string> StudyRun::names_of_points() const {
  std::vector<std::string> names;
  for (const auto& point : plan_.points)
    names.push_back(fmt::format("{}, {}{}", config_.study.layouts[point.layout].name,
                                counted(static_cast<std::size_t>(point.nranks), "rank"),
                                point.control ? ", without communication" : ""));
  return names;
}

void StudyRun::run_all() {
  std::vector<std::size_t> to_do(plan_.points.size());
  for (const auto& turn : plan_.order) to_do[turn.side] += is_done(turn) ? 0 : 1;
  TurnsProgress progress("linerate scale", to_do,
                         progress_style(config_.progress, TextFile::standard_error().terminal()),
                         names_of_points());
  std::error_code missing;
  if (fs::exists(file_, missing)) fs::resize_file(file_, whole_bytes_);
  auto opened = TextFile::append(file_.string(), input_.interrupted);
  if (!opened) throw Error(opened.sentence(), ExitCode::usage);
  auto file = std::move(opened).value();

  for (const auto& turn : plan_.order) {
    if (is_done(turn)) continue;
    progress.begins(turn.side);
    auto result = run_one(turn);
    progress.ended(turn.side, result.elapsed_s);
    if (interrupted_) break;
    file.write(scale::line_of(result));
    results_.push_back(std::move(result));
  }
  progress.clear();
}

// The page is one more thing: without Python the tables stand all the same.
void StudyRun::make_page(const std::string& json) const {
  try {
    const ReportScript script{"scaling.py", "a Python 3 with jinja2 and matplotlib"};
    auto command = command_of(script, input_.environment);
    command.push_back(config_.folder);
    say("note: " + std::string(trim(run_script(script, command, json))));
  } catch (const Unavailable& missing) {
    say(fmt::format("note: no page was made: {}", missing.what()));
  }
}

void StudyRun::print() const {
  const auto& start = config_.study.start;
  const bool here = start == scale::kThreads || start == scale::kProcesses;
  const auto tables = scale::scaling_of(
      config_.study, results_,
      here ? std::optional(static_cast<int>(std::thread::hardware_concurrency())) : std::nullopt);
  const auto json = scale::tables_json(
      tables, fs::absolute(config_.folder).lexically_normal().filename().string(), facts());
  TextFile::standard_output().write(config_.json ? json : scale::tables_text(tables));
  make_page(json);
}

ExitCode StudyRun::run() {
  load();
  run_all();
  say_what_differs();
  print();
  if (interrupted_) {
    say(fmt::format("interrupted: the same command goes on with {}", file_.string()));
    return ExitCode::interrupted;
  }
  const bool failed = std::ranges::any_of(results_, [](const scale::RunResult& result) {
    return result.outcome == scale::Outcome::failed || result.outcome == scale::Outcome::hung;
  });
  const auto useless = scale::useless_layouts(config_.study, results_);
  if (!useless.empty()) say(fmt::format("no run of {} ended well", fmt::join(useless, ", ")));
  return failed || !useless.empty() ? ExitCode::failed : ExitCode::ok;
}

// The study's file, where one is named.
Result<scale::StudyFile> study_of(const std::vector<std::string>& words) {
  const auto name = study_file(words);
  if (!name) return name.failure();
  if (name->empty()) return scale::StudyFile();
  const auto text = read_regular_file(*name, kMostStudyBytes);
  if (!text) return Failure{fmt::format("The study {}: {}", *name, text.sentence())};
  auto file = scale::read_study(*text);
  if (!file) return Failure{*name + file.sentence()};
  if (const auto refusal = study_words_refusal(file->words))
    return Failure{fmt::format("{}: {}", *name, *refusal)};
  return std::move(file).value();
}

}  // namespace

ExitCode scale_command(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::scale)) return ExitCode::ok;
  const auto file = study_of(input.call.words);
  if (!file) return refuse(file.sentence());
  const auto config = parse_scale(*file, input.call.words);
  if (!config) return refuse(config.sentence());
  const auto seed = config->seed.value_or(std::random_device{}());
  say(fmt::format("note: the order of runs is drawn with --seed {}", seed));
  if (config->dry_run) {
    const auto plan = plan_of(*config, seed);
    for (const auto& turn : plan.order) fmt::print("{}\n", plan.commands[turn.side]);
    return ExitCode::ok;
  }
  input.answer_interrupts(false);
  return StudyRun(input, *config, seed).run();
}

}  // namespace linerate
