// What `linerate tune` was asked to do.
#pragma once

#include "base/result.h"
#include "comm/op.h"

#include <cstddef>
#include <string>
#include <vector>

namespace linerate {

struct TuneConfig {
  std::vector<int> nranks{};
  std::vector<OpKind> kinds{};  // with algorithms to choose from
  std::size_t min_bytes = 0, max_bytes = 0;
  bool forgets = false;     // remove the table of this machine instead of writing one
  bool check = false;       // compare with the table in use instead of writing one
  int proofs = 0;           // launches with the new table, and without; 0: none
  bool print_rows = false;  // print the rules as rows of the source instead of keeping them
};

// The words behind `linerate tune`. Values that are not given are the defaults of the rows.
Result<TuneConfig> parse_tune(const std::vector<std::string>& words);

}  // namespace linerate
