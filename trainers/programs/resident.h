// How much memory the processes of a training have, as the system counts it.
#pragma once

#include "job/rank_context.h"
#include "trainers/memory/arena.h"

#include <string>

namespace linerate {

// Summed over the job's processes. A page that several of them have mapped, as ranks of the host
// backend do to read from each other, counts once.
struct MemoryUse {
  double start_bytes = 0;  // resident before the training's first array
  double arena_bytes = 0;  // that all ranks' arenas have from the system
  double peak_bytes = 0;   // resident at most
};

// "# resident memory of all ranks at most, MiB: 345.6; …"
std::string resident_text(const MemoryUse& use);

class Resident {
 public:
  // Before any rank allocates an array of the training. Collective.
  explicit Resident(RankContext& rank);
  // After the last step. Collective.
  MemoryUse use(const trainers::Arena& arena);

 private:
  RankContext& rank_;
  const bool speaks_;  // for its process
  double start_bytes_ = 0;
};

}  // namespace linerate
