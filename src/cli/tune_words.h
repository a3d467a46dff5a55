// What `linerate tune` was asked to do.
#pragma once

#include "base/result.h"
#include "comm/op.h"

#include <cstddef>
#include <string>
#include <vector>

namespace linerate {

struct TuneConfig {
  std::vector<int> nranks{2, 3, 4, 8};
  std::vector<OpKind> kinds{};  // every one that has algorithms to choose from
  std::size_t min_bytes = 8;
  std::size_t max_bytes = std::size_t{128} << 20;
  bool check = false;       // compare with the table in use instead of writing one
  bool print_rows = false;  // print the rules as rows of the source instead of keeping them
  std::string help_text{};  // set: print it and do nothing
};

// The words behind `linerate tune`.
Result<TuneConfig> parse_tune(const std::vector<std::string>& words);

// Its options as a section of docs/cli.md.
std::string tune_markdown();

}  // namespace linerate
