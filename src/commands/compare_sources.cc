#include "commands/compare_sources.h"

#include "base/file.h"
#include "base/text.h"
#include "compare/import.h"
#include "compare/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace linerate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10'000;
constexpr std::string_view kSuffix = ".jsonl";

std::optional<fs::path> baselines_folder(const Environment& environment) {
  const auto inside = fs::path("linerate") / "baselines";
  if (const auto state = environment.get("XDG_STATE_HOME"); state && !state->empty())
    return fs::path(*state) / inside;
  if (const auto home = environment.get("HOME"); home && !home->empty())
    return fs::path(*home) / ".local" / "state" / inside;
  return std::nullopt;
}

// The regular files of a folder by name, hidden ones left out.
Result<std::vector<fs::path>> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code unknown;
    if (entry->path().filename().string().starts_with('.') || !entry->is_regular_file(unknown))
      continue;
    if (files.size() == kMostFiles)
      return Failure{
          fmt::format("'{}': It holds more than {} files.", folder.string(), kMostFiles)};
    files.push_back(entry->path());
  }
  if (failed)
    return Failure{fmt::format("'{}': It cannot be read: {}.", folder.string(), failed.message())};
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> baseline_names(const Environment& environment) {
  std::vector<std::string> names;
  const auto folder = baselines_folder(environment);
  std::error_code missing;
  if (!folder || !fs::is_directory(*folder, missing)) return names;
  const auto files = files_in(*folder);
  if (!files) return names;
  for (const auto& file : *files)
    if (file.extension() == kSuffix) names.push_back(file.stem().string());
  return names;
}

std::string unknown_source(const std::string& source, const Environment& environment) {
  const auto names = baseline_names(environment);
  const auto first =
      fmt::format("'{}' is neither a file nor a folder, and no baseline", plain_text(source));
  if (names.empty()) return first + ": there is none yet; --save-baseline NAME makes one.";
  const std::vector<std::string_view> choices(names.begin(), names.end());
  auto text = fmt::format("{}: these are {}.", first, join(choices, ", "));
  if (const auto near = nearest_match(source, choices); !near.empty())
    text += fmt::format(" Did you mean '{}'?", near);
  return text;
}

std::optional<fs::path> baseline_path(const std::string& name, const Environment& environment) {
  const auto folder = baselines_folder(environment);
  if (!folder || name.find('/') != std::string::npos) return std::nullopt;
  return *folder / (name + std::string(kSuffix));
}

std::optional<Failure> add_file(LoadedSide& side, const fs::path& path) {
  const auto text = read_file_or_pipe(path.string(), ImportLimits{}.bytes);
  if (!text) return Failure{fmt::format("'{}': {}", path.string(), text.sentence())};
  return add_runs(side, path.string(), *text);
}

}  // namespace

std::string jsonl_of(const RunFile& file) {
  std::string text;
  std::set<std::string_view> written;
  for (const auto& run : file.runs) {
    if (!written.insert(run.run_id).second) continue;
    text += json_line(run);
    for (const auto& record : file.records)
      if (record.run_id == run.run_id) text += json_line(record);
    for (const auto& end : file.ends)
      if (end.run_id == run.run_id) text += json_line(end);
  }
  return text;
}

std::optional<Failure> add_runs(LoadedSide& side, const std::string& text_name,
                                std::string_view text) {
  auto read = read_runs(text_name, text);
  if (!read) return read.failure();
  auto file = *std::move(read);
  auto more = side_of(text_name, file);
  std::erase_if(file.runs, [&](const RunInfo& run) { return has_run(side.side, run.run_id); });
  side.jsonl += jsonl_of(file);
  append(side.side, std::move(more));
  return std::nullopt;
}

std::optional<fs::path> path_of_source(const std::string& source, const Environment& environment) {
  std::error_code missing;
  if (fs::exists(source, missing)) return source;
  auto baseline = baseline_path(source, environment);
  return baseline && fs::exists(*baseline, missing) ? baseline : std::nullopt;
}

bool is_part_of(const fs::path& file, const fs::path& path) {
  std::error_code missing;
  if (fs::equivalent(file, path, missing)) return true;
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return fs::is_directory(path, missing) && fs::equivalent(folder, path, missing);
}

Result<LoadedSide> load_side(const std::string& source, const Environment& environment) {
  const auto path = path_of_source(source, environment);
  if (!path) return Failure{unknown_source(source, environment)};
  LoadedSide loaded;
  loaded.side.name = *path == fs::path(source) ? source : fmt::format("baseline {}", source);
  std::vector<fs::path> files{*path};
  if (std::error_code missing; fs::is_directory(*path, missing)) {
    auto inside = files_in(*path);
    if (!inside) return inside.failure();
    files = *std::move(inside);
    if (files.empty()) return Failure{fmt::format("'{}': It holds no file.", source)};
  }
  for (const auto& file : files)
    if (auto failure = add_file(loaded, file)) return *failure;
  if (loaded.side.runs.empty())
    return Failure{
        fmt::format("'{}': It holds no run that came to a result without failing.", source)};
  return loaded;
}

Result<std::filesystem::path> save_baseline(const std::string& name, const LoadedSide& side,
                                            const Environment& environment) {
  const auto path = baseline_path(name, environment);
  if (!path)
    return Failure{"Neither XDG_STATE_HOME nor HOME is set, where a baseline could be kept."};
  if (const auto failed = write_whole_file(*path, side.jsonl))
    return Failure{
        fmt::format("The baseline cannot be kept in '{}': {}.", path->string(), *failed)};
  return *path;
}

std::string baselines_text(const Environment& environment) {
  std::string text;
  for (const auto& name : baseline_names(environment)) {
    const auto loaded = load_side(baseline_path(name, environment)->string(), environment);
    if (!loaded) {
      text += fmt::format("{:<24} {}\n", name, loaded.sentence());
      continue;
    }
    const auto& runs = loaded->side.runs;
    text += fmt::format("{:<24} {:>9}  {}\n", name, runs_words(loaded->side),
                        plain_text(runs.back().info.start_time));
  }
  return text.empty() ? "There is no baseline yet: --save-baseline NAME makes one.\n" : text;
}

}  // namespace linerate
