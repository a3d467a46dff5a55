// A matrix of benchmark runs, measured one after the other: `linerate sweep`, `linerate results`.
//
//   study.h     the matrix, its cases, and the command of each
//   outcome.h   how a case ended, by its exit code and its records
//   database.h  finished cases in one SQLite file, and how they are asked for
//   table.h     cases as a table, CSV and JSON Lines
//   jobs.h      a study as the script of a scheduler's job
#pragma once

#include "base/result.h"
#include "collectives/collective.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::sweep {

inline constexpr std::size_t kMostStudyBytes = 1 << 20;  // of a study's file

// The sizes of one run: `first` bytes, and each `factor` times the one before up to `last`.
struct Sizes {
  std::size_t first = 0, last = 0;
  int factor = 2;

  bool operator==(const Sizes&) const = default;
};
std::string text_of(const Sizes& sizes);  // "8:64M:4", "1M"
// What text_of() yields, and more of what parse_bytes() takes; the factor may be left out.
Result<Sizes> parse_sizes(std::string_view text);

// A variable and its values; nothing: it is unset.
using Values = std::vector<std::optional<std::string>>;

inline constexpr std::string_view kThreads = "threads", kProcesses = "processes";

// Each list is a dimension of the matrix; where one is empty, the tool decides.
struct Study {
  std::vector<const Collective*> collectives{};
  std::vector<Sizes> sizes{};
  std::vector<std::string> types{}, ops{};
  std::vector<int> nodes{1}, ranks_per_node{2};
  std::vector<std::string> backends{}, algorithms{};
  std::map<std::string, Values> environment{};
  std::string start{kProcesses};  // kThreads, kProcesses, or a launcher's words
  std::string options{};          // of every run
  int repeats = 1;
};

struct Case {
  const Collective* collective = nullptr;
  std::optional<Sizes> sizes{};
  std::string type{}, op{}, backend{}, algorithm{};  // empty: the tool decides
  int nodes = 1, ranks_per_node = 1;
  std::map<std::string, std::optional<std::string>> environment{};

  int nranks() const { return nodes * ranks_per_node; }
};

// Every combination once, in the order of the lists. An operator counts only where the collective
// reduces, an algorithm only where the host backend may run, which alone has a choice.
std::vector<Case> cases_of(const Study& study);
// How many that would be at most; it may be more than memory holds.
double most_cases(const Study& study);
inline constexpr double kMostCases = 100'000;

// The case for a shell, without --jsonl: its variables, the launcher, the tool. It begins with
// `program`, which is linerate, or the path of it. What an equal command has measured is the same
// case.
std::string command_of(const Study& study, const Case& of, std::string_view program = "linerate");
// The case in a few words, for progress: "all_reduce 8:64M float 1x2 ring NCCL_ALGO=Ring".
std::string words_of(const Case& of);

// What is wrong with a study, as a sentence.
std::optional<std::string> study_refusal(const Study& study);

// A study's file: options by their long names, and `environment`, a map of variables to a value or
// a list of them, of which null leaves the variable unset.
struct StudyFile {
  std::vector<std::string> words{};
  std::map<std::string, Values> environment{};
};
// The failure goes on behind the file's name.
Result<StudyFile> read_study(std::string_view yaml);

}  // namespace linerate::sweep
