// What `linerate sweep` was asked to do.
#pragma once

#include "base/result.h"
#include "sweep/jobs.h"
#include "sweep/outcome.h"
#include "sweep/study.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace linerate {

struct SweepConfig {
  sweep::Study study{};
  std::string output{};                 // -o: the SQLite file; empty: none was given
  std::optional<std::uint64_t> seed{};  // of the order of runs; nothing: a random one
  double limit_s = 0;                   // of a run; 0: none
  std::set<sweep::Outcome> again{};     // that are run once more
  bool dry_run = false;
  std::optional<sweep::JobForm> print{};  // as what it is printed instead of run
  std::optional<bool> progress{};         // nothing: where stderr is a terminal
};

// The file among the words behind `linerate sweep`; empty: none. What is wrong with the options is
// told first.
Result<std::string> sweep_file(const std::vector<std::string>& words);
// What is wrong with the options of a study's file.
std::optional<std::string> sweep_words_refusal(const std::vector<std::string>& words);
// Those words without the file, behind what the file says: there the last value counts, and
// variables are added.
Result<SweepConfig> parse_sweep(const sweep::StudyFile& file,
                                const std::vector<std::string>& words);
// Of those words the options that another command line of the study needs too: without the file,
// what is done, and -o, --start and --seed.
std::vector<std::string> words_of_study(const std::vector<std::string>& words);

}  // namespace linerate
