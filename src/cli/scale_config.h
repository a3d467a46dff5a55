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

// The file among the words behind `linerate scale`: the one that is no option's; empty: none.
Result<std::string> study_file(const std::vector<std::string>& words);
// Those words without the file, behind those of the file: there the last value counts.
Result<ScaleConfig> parse_scale(const std::vector<std::string>& words);

}  // namespace linerate
