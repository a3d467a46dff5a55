#include "scale/study.h"

#include "base/text.h"
#include "yaml/option_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace linerate::scale {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // of a study's file
constexpr std::array<std::string_view, 3> kTrainers{"train_ddp", "train_fsdp", "train_3d"};

std::vector<Scaling> scalings_of(const Study& study) {
  std::vector<Scaling> scalings;
  if (study.strong) scalings.push_back(Scaling::strong);
  if (study.weak) scalings.push_back(Scaling::weak);
  return scalings;
}

// The trainer's name becomes its path.
std::string with_path(const std::string& command, const std::filesystem::path& programs) {
  const auto end = std::min(command.find(' '), command.size());
  const auto name = command.substr(0, end);
  if (std::ranges::find(kTrainers, name) == kTrainers.end()) return command;
  return shell_word((programs / name).string()) + command.substr(end);
}

Result<std::vector<Layout>> layouts_of(const YAML::Node& map) {
  std::vector<Layout> layouts;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar() || !entry.second.IsScalar())
      return Failure{
          fmt::format(", line {}: a layout is one command, such as 'zero3: train_fsdp --zero 3'.",
                      entry.first.Mark().line + 1)};
    layouts.push_back({entry.first.Scalar(), std::string(trim(entry.second.Scalar()))});
  }
  return layouts;
}

// What the study says for all runs, and what makes a shell read several commands.
std::optional<std::string> words_refusal(std::string_view where, const std::string& text) {
  constexpr std::array<std::string_view, 6> kOfStudy{"-t",      "--nthreads", "--nprocs",
                                                     "--batch", "--steps",    "--jsonl"};
  if (text.find_first_of("\n;|&#`") != std::string::npos)
    return fmt::format("{} '{}' is more than one command: give one, without ; | & # and `.", where,
                       plain_text(text));
  for (const std::string_view word : split(text, ' '))
    if (std::ranges::find(kOfStudy, word.substr(0, word.find('='))) != kOfStudy.end())
      return fmt::format(
          "{} '{}' has {}, which the study gives every run: leave it out, and give "
          "--ranks, --batch or --steps.",
          where, plain_text(text), word);
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Scaling scaling) { return scaling == Scaling::strong ? "strong" : "weak"; }

std::uint64_t Study::batch_of(Scaling scaling, int nranks) const {
  if (scaling == Scaling::strong) return batch;
  return batch * static_cast<std::uint64_t>(nranks) / static_cast<std::uint64_t>(min_nranks());
}

std::vector<Point> points_of(const Study& study) {
  std::set<Point> points;
  for (std::size_t layout = 0; layout < study.layouts.size(); ++layout)
    for (const int nranks : study.ranks)
      for (const auto scaling : scalings_of(study)) {
        Point point{.layout = layout, .nranks = nranks, .batch = study.batch_of(scaling, nranks)};
        points.insert(point);
        point.control = true;
        if (study.control && nranks > 1) points.insert(point);
      }
  return {points.begin(), points.end()};
}

std::string command_of(const Study& study, const Point& point,
                       const std::filesystem::path& programs) {
  auto command = with_path(study.layouts[point.layout].command, programs);
  if (study.start == kThreads)
    command += fmt::format(" -t {}", point.nranks);
  else if (study.start == kProcesses)
    command += fmt::format(" --nprocs {}", point.nranks);
  else
    command =
        yaml::replaced(study.start, kRanksPlace, fmt::to_string(point.nranks)) + ' ' + command;
  if (!study.options.empty()) command += ' ' + study.options;
  command += fmt::format(" --batch {} --steps {}", point.batch, study.steps);
  if (point.control) command += " --no-communication";
  return command;
}

std::optional<std::string> study_refusal(const Study& study) {
  if (study.layouts.empty())
    return "A study needs a layout: give --layout 'train_ddp', or NAME='train_fsdp --zero 3'.";
  if (study.ranks.empty()) return "A study needs numbers of ranks: give --ranks 1,2,4.";
  std::set<std::string_view> names;
  for (const auto& layout : study.layouts)
    if (!names.insert(layout.name).second)
      return fmt::format("Two layouts are called '{}': give each a name of its own.",
                         plain_text(layout.name));
  for (const auto& layout : study.layouts)
    if (auto refusal = words_refusal("The layout", layout.command)) return refusal;
  if (auto refusal = words_refusal("--options", study.options)) return refusal;
  const bool launcher = study.start != kThreads && study.start != kProcesses;
  if (launcher && study.start.find(kRanksPlace) == std::string::npos)
    return fmt::format(
        "--start '{}' says no number of ranks: give threads, processes, or a "
        "launcher with {}, such as 'mpirun -np {}'.",
        plain_text(study.start), kRanksPlace, kRanksPlace);
  for (const int nranks : study.ranks)
    if (study.weak && study.batch * static_cast<std::uint64_t>(nranks) %
                              static_cast<std::uint64_t>(study.min_nranks()) !=
                          0)
      return fmt::format(
          "--batch {} on {} ranks has no whole number of sequences on {}: give a "
          "multiple of {}.",
          study.batch, study.min_nranks(), nranks, study.min_nranks());
  return {};
}

Result<StudyFile> read_study(std::string_view yaml) {
  constexpr std::array<std::string_view, 1> kMaps{"layouts"};
  auto read = yaml::read_option_words(yaml, kMostBytes, kMaps);
  if (!read) return read.failure();
  StudyFile file{.words = read->words};
  const auto found = read->maps.find("layouts");
  if (found == read->maps.end()) return file;
  auto layouts = layouts_of(found->second);
  if (!layouts) return layouts.failure();
  file.layouts = std::move(layouts).value();
  return file;
}

}  // namespace linerate::scale
