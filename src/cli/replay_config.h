// What `linerate replay` was asked to do.
#pragma once

#include "base/result.h"
#include "job/config.h"

#include <string>
#include <vector>

namespace linerate {

struct ReplayConfig : JobConfig {
  std::vector<std::string> files{};
  bool keeps_gaps = true;
  int repeats = 5;
  std::string jsonl_file{};  // empty: none
  bool dry_run = false;
};

// The words behind `linerate replay`.
Result<ReplayConfig> parse_replay(const std::vector<std::string>& words);

}  // namespace linerate
