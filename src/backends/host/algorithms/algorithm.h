// An algorithm is one row: for which calls it is defined, and what each rank does.
#pragma once

#include "backends/host/schedule/schedule.h"
#include "comm/op.h"

#include <span>
#include <string_view>

namespace linerate::host {

struct Algorithm {
  std::string_view name;   // as --algo takes it
  std::string_view words;  // what it does, for the list of choices
  bool (*defined)(const Problem& problem);
  // What `rank` does; null for the eager one. REQUIRES: defined(problem), and not all_to_all.
  Schedule (*schedule)(const Problem& problem, int rank);
};

// All of them, in the order of the documentation.
std::span<const Algorithm* const> all_algorithms();
const Algorithm* find_algorithm(std::string_view name);
// Its place in the list, from 1: what ranks compare before they work together by it.
int variant_of(const Algorithm& algorithm);

}  // namespace linerate::host
