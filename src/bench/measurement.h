// What rank 0 holds of one case and placement after all threads have reported.
#pragma once

#include "bench/plan.h"
#include "bench/sampling.h"
#include "bench/verify.h"
#include "bench/window.h"
#include "comm/call_facts.h"
#include "record/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

struct Measurement {
  Case what{};
  Placement placement = Placement::out_of_place;
  std::uint64_t iters = 0;  // over all windows
  int agg_iters = 1;
  std::vector<WindowTime> thread_times{};  // per thread, summed over all windows
  std::vector<SampleReduction>
      samples{};  // per thread set: all threads, then each group where there are more
  int batch = 1;
  CallFacts call{};  // as rank 0's communicator tells
  bool checked = false;
  std::vector<RankCheck> checks{};  // every check of every rank and round
};

}  // namespace linerate
