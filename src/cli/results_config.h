// What `linerate results` was asked to do.
#pragma once

#include "base/result.h"
#include "sweep/database.h"

#include <string>
#include <vector>

namespace linerate {

struct ResultsConfig {
  std::string file{};                          // of linerate sweep
  std::vector<sweep::Condition> conditions{};  // of the cases that are shown and written
  std::vector<std::string> imports{};          // files of runs, which are added first
  std::string jsonl_file{}, csv_file{}, parquet_file{};
};

// The words behind `linerate results`.
Result<ResultsConfig> parse_results(const std::vector<std::string>& words);

}  // namespace linerate
