// linerate results: what is in the file of a sweep, for people and for other programs.
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/results_config.h"
#include "commands/command.h"
#include "commands/compare_sources.h"
#include "commands/report.h"
#include "commands/scratch_folder.h"
#include "compare/import.h"
#include "output/text_file.h"
#include "sweep/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

namespace linerate {
namespace {

namespace fs = std::filesystem;

// The lines of each run of a file by themselves.
std::vector<RunFile> single_runs(const RunFile& file) {
  std::vector<RunFile> runs;
  std::map<std::string, std::size_t> places;
  for (const auto& info : file.runs)
    if (places.emplace(info.run_id, runs.size()).second) runs.push_back({.runs = {info}});
  const auto sort_in = [&](const auto& lines, auto RunFile::*kind) {
    for (const auto& line : lines)
      if (const auto found = places.find(line.run_id); found != places.end())
        (runs[found->second].*kind).push_back(line);
  };
  sort_in(file.records, &RunFile::records);
  sort_in(file.findings, &RunFile::findings);
  sort_in(file.health, &RunFile::health);
  sort_in(file.ends, &RunFile::ends);
  return runs;
}

// What all results of a run share; empty: they do not.
template <typename Value>
std::string shared(const std::vector<Record>& records, const Value& value) {
  std::string found;
  for (const auto& record : records) {
    const std::string own = value(record);
    if (&record != &records.front() && own != found) return {};
    found = own;
  }
  return found;
}

sweep::FinishedCase imported(const RunFile& run, const std::string& name) {
  const auto& info = run.runs.front();
  const auto [outcome, reason] = sweep::judged(run);
  const int nodes = std::max(1, info.nnodes);
  sweep::FinishedCase of{
      .study = fs::path(name).filename().string(),
      .command = fmt::format("import {}", info.run_id),
      .collective = shared(run.records, [](const Record& r) { return r.what.collective; }),
      .type = shared(run.records, [](const Record& r) { return r.what.type; }),
      .redop = shared(run.records, [](const Record& r) { return r.what.redop; }),
      .nodes = nodes,
      .ranks_per_node = info.nranks / nodes,
      .backend = info.backend,
      .algorithm = shared(run.records, [](const Record& r) { return r.call.algorithm; }),
      .start = info.launcher,
      .outcome = outcome,
      .reason = reason,
      .exit_code = run.ends.empty() ? 0 : run.ends.back().exit_code,
      .start_time = info.start_time,
      .hostname = info.ranks.empty() ? std::string() : info.ranks.front().hostname,
      .version = info.version,
      .environment = nlohmann::ordered_json(info.environment)
                         .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
      .records = jsonl_of(run)};
  for (const auto& record : run.records) of.busbw_gbps = std::max(of.busbw_gbps, record.busbw_gbps);
  return of;
}

// All files are read before any is added.
std::optional<std::string> import_all(const ResultsConfig& config) {
  std::vector<std::pair<std::string, RunFile>> files;
  for (const auto& name : config.imports) {
    const auto text = read_file_or_pipe(name, ImportLimits{}.bytes);
    if (!text) return fmt::format("'{}': {}", name, text.sentence());
    std::error_code none;  // a short file is known by its path
    const bool regular = fs::is_regular_file(name, none);
    auto file = read_runs(regular ? fs::weakly_canonical(name, none).string() : name, *text);
    if (!file) return file.sentence();
    files.emplace_back(name, *std::move(file));
  }
  auto opened = sweep::Database::open(config.file, sweep::Database::Use::add);
  if (!opened) return opened.sentence();
  auto database = *std::move(opened);
  auto known = database.ends();
  std::size_t added = 0, there = 0;
  for (const auto& [name, file] : files)
    for (const auto& run : single_runs(file)) {
      const auto of = imported(run, name);
      if (!known.try_emplace({of.command, of.repeat}).second) {
        ++there;
        continue;
      }
      database.add(of, run);
      ++added;
    }
  say(fmt::format("note: {} imported, {} were there already", counted(added, "run"), there));
  return std::nullopt;
}

// Calls `write_all` with a file that takes the place of `path` once it is whole; what is no regular
// file, such as /dev/stdout, is written as it is.
std::optional<std::string> write_file(const std::string& path,
                                      const std::function<void(TextFile&)>& write_all) {
  std::error_code none;
  const bool direct = fs::exists(path, none) && !fs::is_regular_file(path, none);
  const auto part = direct ? path : fmt::format("{}.{}.part", path, ::getpid());
  auto opened = TextFile::append(part);
  if (!opened) return opened.sentence();
  auto file = *std::move(opened);
  write_all(file);
  std::error_code failed;
  if (!direct) fs::rename(part, path, failed);
  if (failed) return fmt::format("'{}' cannot be written: {}.", path, failed.message());
  return std::nullopt;
}

class Export {
 public:
  Export(const CommandInput& input, const ResultsConfig& config, const sweep::Database& database)
      : input_(input), config_(config), database_(database) {}

  std::optional<std::string> jsonl() const {
    return write_file(config_.jsonl_file, [&](TextFile& file) {
      each([&](const sweep::FinishedCase& of) { file.write(sweep::json_lines(of)); });
    });
  }

  std::optional<std::string> csv(const std::string& path) const {
    return write_file(path, [&](TextFile& file) {
      file.write(sweep::csv_heading_of_cases());
      each([&](const sweep::FinishedCase& of) { file.write(sweep::csv_lines(of)); });
    });
  }

  std::optional<std::string> parquet() const {
    const ScratchFolder scratch;
    const auto lines = (scratch.path() / "all.csv").string();
    if (auto refusal = csv(lines)) return refusal;
    const ReportScript script{"parquet.py", "a Python 3 with pyarrow (pip install pyarrow)"};
    auto command = command_of(script, input_.environment);
    command.insert(command.end(), {config_.parquet_file, lines});
    (void)run_script(script, command, {});
    return std::nullopt;
  }

 private:
  void each(const std::function<void(const sweep::FinishedCase&)>& visit) const {
    database_.each(config_.conditions, true, visit);
  }

  const CommandInput& input_;
  const ResultsConfig& config_;
  const sweep::Database& database_;
};

void print_list(const ResultsConfig& config, const sweep::Database& database) {
  sweep::ListText list;
  std::map<sweep::Outcome, std::size_t> counts;
  database.each(config.conditions, false, [&](const sweep::FinishedCase& of) {
    list.add(of);
    ++counts[of.outcome];
  });
  TextFile::standard_output().write(list.text() +
                                    fmt::format("# {}\n", sweep::counts_text(counts)));
}

// What is written must be no file that is read, and no other one that is written.
std::optional<std::string> overwriting(const ResultsConfig& config) {
  std::vector<std::pair<std::string, std::string>> taken{{config.file, "the file of the cases"}};
  for (const auto& name : config.imports) taken.emplace_back(name, "imported");
  const std::pair<const char*, std::string> written[] = {{"--jsonl", config.jsonl_file},
                                                         {"--csv", config.csv_file},
                                                         {"--parquet", config.parquet_file}};
  for (const auto& [option, name] : written) {
    std::error_code none;
    if (name.empty() || (fs::exists(name, none) && !fs::is_regular_file(name, none))) continue;
    for (const auto& [other, what] : taken)
      if (fs::weakly_canonical(name, none) == fs::weakly_canonical(other, none))
        return fmt::format("{} {} is {}: name another file.", option, name, what);
    taken.emplace_back(name, fmt::format("written by {}", option));
  }
  return std::nullopt;
}

}  // namespace

ExitCode results_command(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::results)) return ExitCode::ok;
  const auto config = parse_results(input.call.words);
  if (!config) return refuse(config.sentence());
  if (const auto refusal = overwriting(*config)) return refuse(*refusal);
  if (!config->imports.empty())
    if (const auto refusal = import_all(*config)) return refuse(*refusal);
  const auto database = sweep::Database::open(config->file, sweep::Database::Use::read);
  if (!database) return refuse(database.sentence());
  const Export all(input, *config, *database);
  const bool exports =
      !(config->jsonl_file.empty() && config->csv_file.empty() && config->parquet_file.empty());
  std::optional<std::string> refusal;
  if (!config->jsonl_file.empty()) refusal = all.jsonl();
  if (!refusal && !config->csv_file.empty()) refusal = all.csv(config->csv_file);
  if (!refusal && !config->parquet_file.empty()) refusal = all.parquet();
  if (refusal) return refuse(*refusal);
  if (!exports) print_list(*config, *database);
  return ExitCode::ok;
}

}  // namespace linerate
