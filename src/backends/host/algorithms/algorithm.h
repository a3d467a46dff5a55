// An algorithm is one row: for which calls it is defined, what each rank does, and what it costs.
#pragma once

#include "backends/host/schedule/schedule.h"
#include "comm/op.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace linerate::host {

// The alpha-beta cost of a call on its critical path (Thakur, Rabenseifner, Gropp 2005, section 2):
// time = rounds * latency + bytes / bandwidth. The wait that ends every call is left out.
struct Cost {
  double rounds = 0;  // waits that follow one another, the first one for all ranks to enter
  double bytes = 0;   // that the busiest rank reads from and writes to other ranks' buffers
};

struct Algorithm {
  std::string_view name;   // as --algo takes it
  std::string_view words;  // what it does, for the list of choices
  bool (*defined)(const Problem& problem);
  // What `rank` does; null for the eager one. REQUIRES: defined(problem), and not all_to_all.
  Schedule (*schedule)(const Problem& problem, int rank);
  // REQUIRES: defined(problem); payload is large enough that pieces flow without a gap.
  Cost (*cost)(const Problem& problem);
};

// All of them, in the order of the documentation.
std::span<const Algorithm* const> all_algorithms();
const Algorithm* find_algorithm(std::string_view name);
// Its place in the list, from 1: what ranks compare before they work together by it.
int variant_of(const Algorithm& algorithm);

}  // namespace linerate::host
