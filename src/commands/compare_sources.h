// The sides of a comparison that were measured before: files, folders of files, and baselines.
#pragma once

#include "base/environment.h"
#include "base/result.h"
#include "compare/runs.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace linerate {

// One side, and the text from which it can be read again.
struct LoadedSide {
  Side side{};
  std::string jsonl{};
};

// The file or folder of a source; nothing where there is none.
std::optional<std::filesystem::path> path_of_source(const std::string& source,
                                                    const Environment& environment);
// Whether `file` is what `path` names, or would be a file of that folder.
bool is_part_of(const std::filesystem::path& file, const std::filesystem::path& path);

// `source` is a path, or the name of a baseline where no such path exists. A folder gives all its
// regular files that do not begin with '.', by name.
Result<LoadedSide> load_side(const std::string& source, const Environment& environment);

// Appends the runs of one text, in whatever format, to the side. `text_name` stands in the refusal.
std::optional<Failure> add_runs(LoadedSide& side, const std::string& text_name,
                                std::string_view text);
// The lines of a file, as JSON Lines; each run once.
std::string jsonl_of(const RunFile& file);

// Keeps the side's runs under the name; yields where, or why not. What had the name is replaced.
Result<std::filesystem::path> save_baseline(const std::string& name, const LoadedSide& side,
                                            const Environment& environment);
// A line for each baseline: its name, runs, and when the last was made.
std::string baselines_text(const Environment& environment);

}  // namespace linerate
