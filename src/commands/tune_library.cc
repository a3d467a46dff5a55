// linerate tune nccl, mpi, gloo: searches settings, writes what is faster, and measures the files.
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/tune_library_config.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/doctor.h"
#include "commands/limited_run.h"
#include "commands/tune_launch.h"
#include "launch/net/address.h"
#include "launch/place.h"
#include "output/text_file.h"
#include "tune/files.h"
#include "tune/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <random>
#include <set>
#include <system_error>
#include <utility>

namespace linerate {
namespace {

namespace fs = std::filesystem;

void show(const std::string& text) { TextFile::standard_output().write(text); }

int count_adapters(const Environment& environment) {
  const fs::path sysfs = environment.get("LINERATE_SYSFS").value_or("/sys");
  std::error_code none;
  const fs::directory_iterator adapters(sysfs / "class" / "infiniband", none);
  return none ? 0 : static_cast<int>(std::distance(fs::begin(adapters), fs::end(adapters)));
}

tuning::Facts facts_here(const TuneLibraryConfig& config, const Environment& environment) {
  tuning::Facts facts{.nodes = config.study.nodes.front(),
                      .ranks_per_node = config.study.ranks_per_node.front(),
                      .infiniband = count_adapters(environment),
                      .nccl = config.nccl};
  std::set<std::string> names;
  for (const auto& address : interface_addresses()) names.insert(address.interface);
  facts.interfaces.assign(names.begin(), names.end());
  for (const auto& setting : settings_here(environment, config.nccl))
    facts.set[setting.name] = setting.where;
  return facts;
}

// Where the plugin lies beside this program: lib of the installation or the build.
std::string plugin_here() {
  return (programs_folder().parent_path() / "lib" / "libnccl-tuner-linerate.so").string();
}

class LibraryTuning {
 public:
  LibraryTuning(const CommandInput& input, const TuneLibraryConfig& config,
                tuning::Candidates candidates)
      : config_(config),
        candidates_(std::move(candidates)),
        paths_{.folder = fs::absolute(config.folder).lexically_normal().string(),
               .plugin = plugin_here()},
        launcher_(input, config.study, config.limit_s, progress_of(config)) {
    tuned_ = {.library = config.library,
              .nodes = config.study.nodes.front(),
              .ranks = config.study.nodes.front() * config.study.ranks_per_node.front(),
              .origin = fmt::format(
                  "linerate tune {}, {}, {}, {} x {} ranks", tuning::backend_of(config.library),
                  this_host().hostname, utc_text(std::chrono::system_clock::now()),
                  config.study.nodes.front(), config.study.ranks_per_node.front())};
  }

  ExitCode run() {
    if (const auto refusal = folder_refusal()) return refuse(*refusal);
    if (auto failed = search_process()) return *failed;
    for (const auto* collective : config_.study.collectives)
      if (auto failed = search_calls(*collective)) return *failed;
    return prove();
  }

  std::size_t most_launches() const {
    auto all = tuning::most_launches(arms_of(nullptr).size(), config_.study.collectives, effort());
    for (const auto* collective : config_.study.collectives)
      all += tuning::most_launches(arms_of(collective).size(), {collective}, effort());
    const auto sides = 2 * static_cast<std::size_t>(effort().confirmations);
    const std::size_t proofs = arms_of(nullptr).empty() ? 1 : 2;  // again without the process'
    return all + proofs * sides * config_.study.collectives.size();
  }

 private:
  TurnsProgress progress_of(const TuneLibraryConfig& config) const {
    return {fmt::format("linerate tune {}", tuning::backend_of(config.library)),
            {most_launches()},
            progress_style(config.progress, TextFile::standard_error().terminal())};
  }

  tuning::Effort effort() const {
    auto effort = config_.effort;
    effort.seed = config_.seed.value_or(1) + (seeds_used_ << 20);
    return effort;
  }

  std::vector<tuning::Arm> arms_of(const Collective* collective) const {
    std::vector<tuning::Arm> arms;
    for (const auto& arm : candidates_.arms)
      if (arm.collective == collective) arms.push_back(arm);
    return arms;
  }

  // Before hours of measuring.
  Refusal folder_refusal() const {
    const auto probe = fs::path(paths_.folder) / ".probe";
    const auto failed = write_whole_file(probe, {});
    std::error_code gone;
    fs::remove(probe, gone);
    if (!failed) return {};
    return fmt::format("-o/--output {} cannot be written to: {}.", plain_text(config_.folder),
                       *failed);
  }

  static std::optional<ExitCode> failed(const std::string& why) {
    if (why.empty()) return std::nullopt;
    say(fmt::format("The default cannot be measured. {}", why));
    return ExitCode::failed;
  }

  std::optional<ExitCode> search_process() {
    const auto arms = arms_of(nullptr);
    if (arms.empty()) return std::nullopt;
    const auto found =
        tuning::search(arms, config_.study.collectives, effort(), launcher_.with({}));
    ++seeds_used_;
    if (auto code = failed(found.failure)) return code;
    auto dropped = found.dropped;
    const auto* kept = tuning::kept_of_process(arms, found, dropped);
    show(tuning::search_text("for the whole process", arms, found, dropped));
    show(rows_of(arms, found));
    if (kept == nullptr) return std::nullopt;
    tuned_.process = kept->variables;
    process_words_ = kept->words;
    show(fmt::format("#   kept: {}; what follows is measured with it\n", kept->words));
    return std::nullopt;
  }

  static std::string rows_of(const std::vector<tuning::Arm>& arms, const tuning::Searched& found) {
    std::vector<tuning::Kept> rows;
    for (const auto& one : found.judged) rows.push_back({arms[one.arm], one});
    return rows.empty() ? std::string() : tuning::table_text(rows);
  }

  std::optional<ExitCode> search_calls(const Collective& collective) {
    const auto arms = arms_of(&collective);
    if (arms.empty()) return std::nullopt;
    const auto found =
        tuning::search(arms, {&collective}, effort(), launcher_.with(tuned_.process));
    ++seeds_used_;
    if (auto code = failed(found.failure)) return code;
    auto dropped = found.dropped;
    const auto kept = tuning::kept_calls(arms, found, dropped);
    kept_.insert(kept_.end(), kept.begin(), kept.end());
    measured_.insert(measured_.end(), found.cells.begin(), found.cells.end());
    show(tuning::search_text(collective.name, arms, found, dropped));
    show(rows_of(arms, found));
    return std::nullopt;
  }

  void write_files(const tuning::Paths& paths) const {
    for (const auto& file : tuning::files_of(tuned_, paths))
      if (const auto why = write_whole_file(fs::path(paths.folder) / file.name, file.text))
        throw Error(fmt::format("{}/{} cannot be written: {}.", paths.folder, file.name, *why));
  }

  void remove_files(const tuning::Paths& paths) const {
    std::error_code gone;
    for (const auto& file : tuning::files_of(tuned_, paths))
      fs::remove(fs::path(paths.folder) / file.name, gone);
    fs::remove(paths.folder, gone);
  }

  // Those of which something is kept; with a setting of the process, all.
  tuning::Collectives to_prove() const {
    if (!tuned_.process.empty()) return config_.study.collectives;
    tuning::Collectives some;
    for (const auto& rule : tuned_.rules)
      if (std::ranges::find(some, rule.collective) == some.end()) some.push_back(rule.collective);
    return some;
  }

  // In a folder of their own within the one asked for, which all nodes see: files of an earlier
  // search stay as they are until something is kept. Gone again afterwards, whatever happens.
  tuning::Searched measured_with_files() {
    struct Removal {
      const LibraryTuning& of;
      const tuning::Paths& paths;
      ~Removal() { of.remove_files(paths); }
    };
    auto paths = paths_;
    paths.folder += "/.proof";
    const Removal removal{*this, paths};
    write_files(paths);
    return tuning::confirm(tuning::variables_of(tuned_, paths), to_prove(), effort(),
                           launcher_.with({}));
  }

  // Measures what is kept as a job will have it, by the files, against the plain default; and again
  // without the process' setting where that does not hold.
  ExitCode prove() {
    tuned_.rules = tuning::rules_of(kept_, measured_);
    if (tuned_.empty()) {
      show("# nothing is kept: no setting is faster than the default for sure\n");
      return ExitCode::ok;
    }
    const auto found = measured_with_files();
    ++seeds_used_;
    if (auto code = failed(found.failure)) return *code;
    if (!found.dropped.empty()) {
      say(fmt::format("With the files a run fails: {}", found.dropped[0].why));
      return ExitCode::failed;
    }
    show(fmt::format("# measured again, in {} launches, with the files and without:\n",
                     found.launches));
    show(proof_text(found));
    const bool process_falls = !tuned_.process.empty() && !holds_for_process(found);
    keep_what_holds(found);
    if (process_falls) {
      show(fmt::format("#   dropped: {}: it was not faster again, or slower somewhere\n",
                       process_words_));
      tuned_.process.clear();
      return prove();
    }
    return finish();
  }

  std::string proof_text(const tuning::Searched& found) const {
    std::vector<tuning::Kept> rows;
    for (const auto& one : found.judged) {
      const auto rule = std::ranges::find_if(tuned_.rules, [&](const tuning::Rule& r) {
        return r.collective == one.cell.collective && one.cell.bytes >= r.min_bytes &&
               one.cell.bytes <= r.max_bytes;
      });
      if (rule != tuned_.rules.end())
        rows.push_back({rule->arm, one});
      else if (!tuned_.process.empty())
        rows.push_back({{.words = process_words_}, one});
    }
    return tuning::table_text(rows);
  }

  static bool holds_for_process(const tuning::Searched& found) {
    const auto any = [&](stats::Difference verdict) {
      return std::ranges::find(found.judged, verdict, &tuning::Judged::verdict) !=
             found.judged.end();
    };
    return any(stats::Difference::faster) && !any(stats::Difference::slower);
  }

  void keep_what_holds(const tuning::Searched& found) {
    std::erase_if(kept_, [&](const tuning::Kept& kept) {
      const auto again = std::ranges::find(found.judged, kept.judged.cell, &tuning::Judged::cell);
      const bool holds = again != found.judged.end() && again->verdict == stats::Difference::faster;
      if (!holds)
        show(fmt::format("#   dropped: {} for {} of {}: it was not faster again for sure\n",
                         kept.arm.words, kept.judged.cell.collective->name,
                         bytes_text(kept.judged.cell.bytes)));
      return !holds;
    });
    tuned_.rules = tuning::rules_of(kept_, measured_);
  }

  ExitCode finish() {
    if (tuned_.empty()) {
      show("# nothing is kept: what was faster was not so again\n");
      return ExitCode::ok;
    }
    write_files(paths_);
    for (const auto& rule : tuned_.rules)
      show(fmt::format("# rule: {} from {} to {} bytes, {} ranks on {}: {}\n",
                       rule.collective->name, rule.min_bytes, rule.max_bytes, tuned_.ranks,
                       counted(static_cast<std::size_t>(tuned_.nodes), "node"), rule.arm.words));
    if (!tuned_.process.empty()) show(fmt::format("# for the whole process: {}\n", process_words_));
    for (const auto& file : tuning::files_of(tuned_, paths_))
      show(fmt::format("# written: {}/{}{}{}\n", paths_.folder, file.name,
                       file.use.empty() ? "" : ": ", file.use));
    return ExitCode::ok;
  }

  const TuneLibraryConfig& config_;
  const tuning::Candidates candidates_;
  const tuning::Paths paths_;
  std::uint64_t seeds_used_ = 0;
  TuneLauncher launcher_;
  tuning::Tuned tuned_;
  std::string process_words_;
  std::vector<tuning::Kept> kept_;
  std::vector<tuning::Cell> measured_;  // of calls
};

}  // namespace

ExitCode tune_library(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::tune_library)) return ExitCode::ok;
  const auto parsed = parse_tune_library(input.call.words);
  if (!parsed) return refuse(parsed.sentence());
  auto config = *parsed;
  const auto facts = facts_here(config, input.environment);
  auto candidates =
      tuning::candidates(config.library, facts, config.study.collectives, config.tried);
  if (!candidates) return refuse(candidates.sentence());
  show(tuning::candidates_text(*candidates));
  if (candidates->arms.empty()) {
    show("# there is nothing to tune here\n");
    return ExitCode::ok;
  }
  std::error_code missing;
  if (config.library == tuning::Library::nccl && !fs::exists(plugin_here(), missing))
    say(
        fmt::format("warning: the tuner plugin is not here ({}): NCCL will follow no rules of "
                    "calls, and none will be kept.",
                    plugin_here()));
  if (!config.seed) config.seed = std::random_device{}();
  LibraryTuning tuning(input, config, *std::move(candidates));
  if (config.dry_run) {
    show(fmt::format("# at most {} launches\n", tuning.most_launches()));
    return ExitCode::ok;
  }
  say(fmt::format("note: the order of runs is drawn with --seed {}", *config.seed));
  input.answer_interrupts(false);
  return tuning.run();
}

}  // namespace linerate
