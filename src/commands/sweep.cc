// linerate sweep: the cases of a study one after the other, in an order drawn by lot; each that has
// ended is in the file before the next begins.
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/sweep_config.h"
#include "commands/build_info.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/limited_run.h"
#include "commands/scratch_folder.h"
#include "commands/turns_progress.h"
#include "compare/comparison.h"
#include "launch/place.h"
#include "output/numbers.h"
#include "sweep/database.h"
#include "sweep/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <random>
#include <system_error>
#include <utility>

namespace linerate {
namespace {

namespace fs = std::filesystem;
using sweep::Outcome;

struct SweepPlan {
  std::vector<sweep::Case> cases{};
  std::vector<std::string> commands{};  // of these, as the file of results knows them
  std::vector<Turn> order{};            // each side a case
};

SweepPlan plan_of(const SweepConfig& config, std::uint64_t seed) {
  SweepPlan plan{.cases = sweep::cases_of(config.study)};
  for (const auto& one : plan.cases) plan.commands.push_back(sweep::command_of(config.study, one));
  plan.order = turns(plan.cases.size(), config.study.repeats, seed);
  return plan;
}

std::string variables_json(const sweep::Case& of) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : of.environment)
    object[name] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// What of this process' variables records may keep, and of the case's, which replace them.
std::string environment_json(const sweep::Case& of, const Environment& environment) {
  std::map<std::string, std::string, std::less<>> set;
  for (const auto& entry : environment.recordable())
    set[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  for (const auto& [name, value] : of.environment) {
    set.erase(name);
    if (value) set[name] = *value;
  }
  const nlohmann::ordered_json list = Environment(std::move(set)).recordable();
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

class SweepRun {
 public:
  SweepRun(const CommandInput& input, const SweepConfig& config, std::string study,
           std::uint64_t seed, sweep::Database database)
      : input_(input),
        config_(config),
        study_(std::move(study)),
        seed_(seed),
        plan_(plan_of(config, seed)),
        database_(std::move(database)) {}

  ExitCode run();

 private:
  void run_all();
  bool run_one(const Turn& turn, TurnsProgress& progress);
  sweep::FinishedCase described(const Turn& turn) const;
  ExitCode summed_up() const;

  const CommandInput& input_;
  const SweepConfig& config_;
  const std::string study_;
  const std::uint64_t seed_;
  const SweepPlan plan_;
  sweep::Database database_;
  ScratchFolder scratch_;
  bool interrupted_ = false;
};

sweep::FinishedCase SweepRun::described(const Turn& turn) const {
  const auto& of = plan_.cases[turn.side];
  return {.study = study_,
          .command = plan_.commands[turn.side],
          .repeat = turn.repeat,
          .collective = std::string(of.collective->name),
          .sizes = of.sizes ? text_of(*of.sizes) : std::string(),
          .type = of.type,
          .redop = of.op,
          .nodes = of.nodes,
          .ranks_per_node = of.ranks_per_node,
          .backend = of.backend,
          .algorithm = of.algorithm,
          .variables = variables_json(of),
          .start = config_.study.start,
          .start_time = utc_text(std::chrono::system_clock::now()),
          .hostname = this_host().hostname,
          .version = fmt::format("{} {}", build_info().version, build_info().commit),
          .load_1min = load_1min(),
          .seed = static_cast<std::int64_t>(seed_),
          .environment = environment_json(of, input_.environment)};
}

// Whether it ended by itself, and is kept.
bool SweepRun::run_one(const Turn& turn, TurnsProgress& progress) {
  database_.hold_room();
  progress.begins(turn.side);
  auto finished = described(turn);
  const auto path = scratch_.path() / "run.jsonl";
  const auto end =
      run_limited({.command = sweep::command_of(config_.study, plan_.cases[turn.side],
                                                (programs_folder() / "linerate").string()),
                   .records = path,
                   .limit_s = config_.limit_s},
                  input_);
  progress.ended(turn.side, end.child.seconds);
  progress.clear();
  if (end.interrupted) return false;
  auto [records, text] = records_of(end, path);
  finished.records = std::move(text);
  const auto [outcome, reason] = sweep::judged(
      {.code = end.child.code, .limit_s = config_.limit_s, .cut = end.hung, .said = end.said},
      records);
  finished.outcome = outcome;
  finished.reason = reason;
  finished.exit_code = end.child.code;
  finished.elapsed_s = end.child.seconds;
  for (const auto& record : records.records)
    finished.busbw_gbps = std::max(finished.busbw_gbps, record.busbw_gbps);
  database_.add(finished, records);
  return true;
}

struct TurnsLeft {
  std::vector<Turn> turns{};
  std::vector<sweep::Database::Key> again{};  // those of them that have run before
  std::set<Outcome> go_on{};                  // of an --again that was interrupted
};

sweep::Database::Key key_of(const SweepPlan& plan, const Turn& turn) {
  return {plan.commands[turn.side], turn.repeat};
}

// Counts the turns that are over into `progress`. Of an outcome for which an --again was
// interrupted, those run that it has left; of each other in `again`, all.
TurnsLeft turns_left(const SweepPlan& plan, const sweep::Database* database,
                     const std::set<Outcome>& again, TurnsProgress& progress) {
  if (database == nullptr) return {plan.order};
  const auto ends = database->ends();
  const auto end_of = [&](const Turn& turn) { return ends.find(key_of(plan, turn)); };
  TurnsLeft left;
  for (const auto& turn : plan.order)
    if (const auto end = end_of(turn); end != ends.end() && again.contains(end->second.outcome))
      std::ranges::set_intersection(end->second.again, again,
                                    std::inserter(left.go_on, left.go_on.end()));
  const auto runs_again = [&](const sweep::Database::End& end) {
    return again.contains(end.outcome) && (!end.again.empty() || !left.go_on.contains(end.outcome));
  };
  for (const auto& turn : plan.order) {
    const auto end = end_of(turn);
    if (end == ends.end()) {
      left.turns.push_back(turn);
    } else if (runs_again(end->second)) {
      left.turns.push_back(turn);
      left.again.push_back(end->first);
    } else {
      progress.ended(turn.side, end->second.elapsed_s);
    }
  }
  return left;
}

TurnsProgress progress_of(const SweepPlan& plan, const SweepConfig& config, ProgressStyle style) {
  const std::vector<std::size_t> to_do(plan.cases.size(),
                                       static_cast<std::size_t>(config.study.repeats));
  std::vector<std::string> names;
  for (const auto& one : plan.cases) names.push_back(plain_text(words_of(one)));
  return {"linerate sweep", to_do, style, std::move(names)};
}

void SweepRun::run_all() {
  auto progress = progress_of(
      plan_, config_, progress_style(config_.progress, TextFile::standard_error().terminal()));
  const auto left = turns_left(plan_, &database_, config_.again, progress);
  if (!left.go_on.empty())
    say(fmt::format("note: --again {} was interrupted: it goes on with what it has left",
                    sweep::names_of(left.go_on)));
  if (!left.again.empty()) database_.run_again(left.again, config_.again);
  for (const auto& turn : left.turns)
    if (!run_one(turn, progress)) {
      interrupted_ = true;
      break;
    }
}

// What ended otherwise than well, and how many of each.
ExitCode SweepRun::summed_up() const {
  const std::set<std::string> own(plan_.commands.begin(), plan_.commands.end());
  std::map<Outcome, std::size_t> counts;
  std::set<std::string> versions, hosts;
  sweep::ListText others;
  database_.each({}, false, [&](const sweep::FinishedCase& of) {
    if (!own.contains(of.command) || of.repeat > config_.study.repeats) return;
    ++counts[of.outcome];
    versions.insert(of.version);
    hosts.insert(of.hostname);
    if (of.outcome != Outcome::ok) others.add(of);
  });
  constexpr std::string_view kAdvice = "Name another file to measure anew.";
  warn_of_several("versions of linerate", versions, kAdvice);
  warn_of_several("hosts", hosts, kAdvice);
  std::size_t all = 0;
  for (const auto& [outcome, count] : counts) all += count;
  if (!others.empty()) TextFile::standard_output().write(others.text());
  TextFile::standard_output().write(fmt::format("# {} of {}: {}\n", counted(all, "case"),
                                                plan_.order.size(), sweep::counts_text(counts)));
  std::set<Outcome> failed;
  for (const auto& [outcome, count] : counts)
    if (outcome != Outcome::ok && outcome != Outcome::slow) failed.insert(outcome);
  if (failed.empty()) return counts[Outcome::slow] > 0 ? ExitCode::finding : ExitCode::ok;
  say(fmt::format("note: --again {} runs what ended so once more", sweep::names_of(failed)));
  return ExitCode::failed;
}

ExitCode SweepRun::run() {
  run_all();
  const auto code = summed_up();
  say(fmt::format("note: linerate results {} shows and exports all of them", config_.output));
  if (!interrupted_) return code;
  say(fmt::format("interrupted: the same command goes on with {}", config_.output));
  return ExitCode::interrupted;
}

// The commands that are left, and the time that they take by what is known of others.
ExitCode dry_run(const SweepConfig& config, std::uint64_t seed) {
  std::optional<sweep::Database> database;
  std::error_code missing;
  if (!config.output.empty() && fs::exists(config.output, missing)) {
    auto opened = sweep::Database::open(config.output, sweep::Database::Use::read);
    if (!opened) return refuse(opened.sentence());
    database.emplace(*std::move(opened));
  }
  const auto plan = plan_of(config, seed);
  auto progress = progress_of(plan, config, ProgressStyle::off);
  const auto left = turns_left(plan, database ? &*database : nullptr, config.again, progress).turns;
  for (const auto& turn : left) fmt::print("{}\n", plan.commands[turn.side]);
  const auto runs = counted(left.size(), "run");
  if (const auto seconds = progress.seconds_left())
    fmt::print("# {} of {} left: about {}, by the runs in {}\n", runs, plan.order.size(),
               duration_text(*seconds), config.output);
  else if (config.limit_s > 0)
    fmt::print("# {}: at most {}, by --limit {:g} s; once some have ended, about how long\n", runs,
               duration_text(static_cast<double>(left.size()) * config.limit_s), config.limit_s);
  else
    fmt::print("# {}: how long is not known before some have ended\n", runs);
  return ExitCode::ok;
}

// What its file says, and its name without folder and suffix; of options alone "sweep".
struct NamedStudy {
  std::string name{"sweep"}, path{}, text{}, beside{};
  sweep::StudyFile file{};
};

Result<NamedStudy> named_study(const std::vector<std::string>& words) {
  const auto path = sweep_file(words);
  if (!path) return path.failure();
  if (path->empty()) return NamedStudy();
  const auto text = read_regular_file(*path, sweep::kMostStudyBytes);
  if (!text) return Failure{fmt::format("The study {}: {}", *path, text.sentence())};
  auto file = sweep::read_study(*text);
  if (!file) return Failure{*path + file.sentence()};
  if (const auto refusal = sweep_words_refusal(file->words))
    return Failure{fmt::format("{}: {}", *path, *refusal)};
  return NamedStudy{.name = fs::path(*path).stem().string(),
                    .path = *path,
                    .text = *text,
                    .beside = fs::path(*path).replace_extension(".db").string(),
                    .file = *std::move(file)};
}

void print_job(const SweepConfig& config, const NamedStudy& study, std::uint64_t seed,
               const std::vector<std::string>& words) {
  sweep::Job job{.name = study.name,
                 .file = study.path,
                 .text = study.text,
                 .output = config.output.empty() ? study.name + ".db" : config.output,
                 .words = words_of_study(words),
                 .seed = seed,
                 .limit_s = config.limit_s};
  const auto count = sweep::cases_of(config.study).size();
  for (const auto& turn : turns(count, config.study.repeats, seed)) job.order.push_back(turn.side);
  TextFile::standard_output().write(sweep::job_text(*config.print, config.study, job));
}

}  // namespace

ExitCode sweep_command(const CommandInput& input) {
  const std::string first = input.call.words.empty() ? "" : input.call.words.front();
  constexpr std::string_view kParts[] = {"pairs"};
  if (first == kParts[0]) return sweep_pairs(input);
  std::error_code missing;
  if (!nearest_match(first, kParts).empty() && !fs::exists(first, missing))
    return refuse(fmt::format("The study {} is not there. Did you mean 'linerate sweep pairs'?",
                              plain_text(first)));
  if (answers_help(input.call.words, Audience::sweep)) return ExitCode::ok;
  const auto study = named_study(input.call.words);
  if (!study) return refuse(study.sentence());
  const auto parsed = parse_sweep(study->file, input.call.words);
  if (!parsed) return refuse(parsed.sentence());
  auto config = *parsed;
  if (config.output.empty()) config.output = study->beside;
  const auto seed = config.seed.value_or(std::random_device{}());
  say(fmt::format("note: the order of runs is drawn with --seed {}", seed));
  if (config.dry_run) return dry_run(config, seed);
  if (config.print) {
    print_job(config, *study, seed, input.call.words);
    return ExitCode::ok;
  }
  if (config.output.empty())
    return refuse("-o/--output is required without a study's file: the SQLite file of the cases.");
  auto database = sweep::Database::open(config.output, sweep::Database::Use::add);
  if (!database) return refuse(database.sentence());
  input.answer_interrupts(false);
  return SweepRun(input, config, study->name, seed, *std::move(database)).run();
}

}  // namespace linerate
