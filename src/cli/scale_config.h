// What `linerate scale` was asked to do.
#pragma once

#include "base/result.h"
#include "scale/study.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

struct ScaleConfig {
  scale::Study study{};
  std::string folder{};                 // -o: of the runs and the page
  std::optional<std::uint64_t> seed{};  // of the order of runs; nothing: a random one
  double limit_s = 0;                   // of a run; 0: none
  bool dry_run = false, json = false;
  std::optional<bool> progress{};  // nothing: where stderr is a terminal
};

// The file among the words behind `linerate scale`: the one that is no option's; empty: none. What
// is wrong with the options is told first.
Result<std::string> study_file(const std::vector<std::string>& words);
// What is wrong with the options of a study's file.
std::optional<std::string> study_words_refusal(const std::vector<std::string>& words);
// Those words without the file, behind what the file says: there the last value counts, and layouts
// are added.
Result<ScaleConfig> parse_scale(const scale::StudyFile& file,
                                const std::vector<std::string>& words);

}  // namespace linerate
