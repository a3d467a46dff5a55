// How training scales: trainers on more and more ranks, in several layouts. `linerate scale`.
//
//   study.h         what is run: each layout on each number of ranks, as commands
//   run_result.h    one run: what the trainer wrote of its steps, summed up; a line of JSON
//   scaling.h       efficiencies and losses, from all runs
//   scaling_text.h  these as tables, and as JSON, from which Python makes the page
#pragma once

#include "base/result.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::scale {

// How the batch grows with the ranks: not at all, or in proportion.
enum class Scaling : std::uint8_t { strong, weak };
std::string_view name_of(Scaling scaling);

struct Layout {
  std::string name{};
  std::string command{};  // a trainer and its options, as in a shell: "train_fsdp --zero 3"
};

inline constexpr std::string_view kThreads = "threads", kProcesses = "processes";
inline constexpr std::string_view kRanksPlace = "{ranks}";  // in a launcher's words

struct Study {
  std::vector<Layout> layouts{};
  std::vector<int> ranks{};  // ascending
  bool strong = true, weak = false;
  std::string start{kThreads};  // kThreads, kProcesses, or a launcher: "mpirun -np {ranks}"
  std::string options{};        // of every trainer
  std::uint64_t batch = 8;      // sequences of a step on the fewest ranks
  std::int64_t steps = 10;
  int repeats = 5;
  bool control = true;  // each point once more without communication

  int min_nranks() const { return ranks.front(); }
  // Sequences of a step on so many ranks.
  std::uint64_t batch_of(Scaling scaling, int nranks) const;
};

// What is measured `repeats` times.
struct Point {
  std::size_t layout = 0;  // in Study::layouts
  int nranks = 1;
  std::uint64_t batch = 0;
  bool control = false;

  auto operator<=>(const Point&) const = default;
};

// All points, each once: on the fewest ranks strong and weak scaling are the same. One rank has no
// control, because it sends nothing.
std::vector<Point> points_of(const Study& study);

// The command of a point, for a shell, without --jsonl. A trainer that begins it is taken from
// `programs`; other words stay as they are.
std::string command_of(const Study& study, const Point& point,
                       const std::filesystem::path& programs);

// What is wrong with a study, as a sentence.
std::optional<std::string> study_refusal(const Study& study);

// A study's file: `layouts`, a map of names to commands, and options by their long names. Of an
// option `words` has what a command line would: a list is its values with commas, true the option
// alone, false nothing.
struct StudyFile {
  std::vector<std::string> words{};
  std::vector<Layout> layouts{};
};
// The failure goes on behind the file's name.
Result<StudyFile> read_study(std::string_view yaml);

}  // namespace linerate::scale
