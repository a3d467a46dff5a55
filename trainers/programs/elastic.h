// --elastic: a training that goes on with the ranks that are left where others die.
//
// It runs in generations, as torchrun's do: each is a job of its own, with new processes, which
// resume the newest checkpoint. The started process stays, as the parent of the ranks. It sees
// which of its children died, waits until the survivors have noticed it (watch.h) and ended, agrees
// with other parents on who is left (members.h), plans the layout (replan.h), and forks the next
// generation.
#pragma once

#include "cli/train_config.h"
#include "job/job.h"
#include "trainers/programs/elastic_progress.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linerate {

// What a generation goes on after, and with.
struct Generation {
  int number = 0;
  std::vector<int> lost{};        // ranks of the generation before
  bool out_of_memory = false;     // nobody died: memory was short
  int halvings = 0;               // of micro-batches so far
  int nranks_before = 0;          // that took part
  int left = 0;                   // that could take part
  int nranks = 0;                 // that take part
  bool has_rank_0 = true;         // in this process, or its children
  std::int64_t steps_before = 0;  // that all generations before had made
  std::int64_t noticed_ns = 0;    // of SteadyClock, when the first rank's end was seen
  std::string layout{}, accumulation{};
};

// "rank 3 of 8 was lost".
std::string loss_text(const Generation& generation);

// Starts the ranks of a job in processes of their own, and yields its exit code.
using StartRanks = std::function<ExitCode(const JobSetup&, const RankBody&)>;
// Runs one generation with these options.
using RunGeneration = std::function<ExitCode(const TrainOptions&, const Generation&,
                                             ElasticProgress&, const StartRanks&)>;

// Generations until one ends in another way than by lost ranks or a lack of memory, or until there
// are too few ranks, or too many restarts. A sentence where --elastic cannot hold what it promises
// with this launcher. REQUIRES: no other thread runs.
Result<ExitCode> run_elastic(const TrainOptions& asked, const Environment& environment,
                             const std::function<bool()>& interrupted, const RunGeneration& run);

}  // namespace linerate
