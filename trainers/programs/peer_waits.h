// Which ranks the others waited for, over all steps of a run.
#pragma once

#include "comm/bootstrap.h"
#include "trainers/engine/step_time.h"

#include <map>
#include <vector>

namespace linerate {

// The time that the other ranks waited for this one.
struct PeerWaitShare {
  int rank = 0;
  double share = 0;  // of their steps' time
};

// Of one rank. Used by its thread.
class PeerWaits {
 public:
  void add(const trainers::StepTime& time);

  // The ranks that others waited for, the longest first, on rank 0; else none. Collective.
  std::vector<PeerWaitShare> shares(Bootstrap& ranks) const;

 private:
  double steps_us_ = 0;
  std::map<int, double> us_;  // by rank
};

}  // namespace linerate
