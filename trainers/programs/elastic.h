// --elastic: a training that goes on with the ranks that are left where others die.
//
// It runs in generations, as torchrun's do: each is a job of its own, with new processes, which
// resume the newest checkpoint. The started process stays, sees which of its children died, waits
// until the survivors have noticed it (watch.h) and ended, plans the layout of the ranks that are
// left (replan.h), and forks the next generation.
#pragma once

#include "cli/train_config.h"
#include "job/job.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linerate {

// What a generation goes on after.
struct Generation {
  int number = 0;
  std::vector<int> lost{};        // ranks of the generation before
  bool out_of_memory = false;     // nobody died: memory was short
  int nranks_before = 0;          // that took part
  int left = 0;                   // that could take part
  int nranks = 0;                 // that take part
  std::int64_t steps_before = 0;  // that all generations before had made
  std::int64_t noticed_ns = 0;    // of SteadyClock, when the first rank's end was seen
  std::string layout{}, accumulation{};
};

// "rank 3 of 8 was lost".
std::string loss_text(const Generation& generation);

// What the processes of all generations tell the one that started them: memory that they share.
class ElasticProgress {
 public:
  ElasticProgress();  // throws SystemError
  ~ElasticProgress();
  ElasticProgress(const ElasticProgress&) = delete;
  ElasticProgress& operator=(const ElasticProgress&) = delete;

  void step_is_done(std::int64_t step) { shared_->steps = step; }  // by rank 0
  void memory_is_short() { shared_->out_of_memory = true; }
  std::int64_t steps() const { return shared_->steps; }
  // Whether it was since the last call.
  bool memory_was_short() { return shared_->out_of_memory.exchange(false); }

 private:
  struct Shared {
    std::atomic<std::int64_t> steps{0};
    std::atomic<bool> out_of_memory{false};
  };
  Shared* shared_;
};

// Starts the ranks of a job in processes of their own, and yields its exit code.
using StartRanks = std::function<ExitCode(const JobSetup&, const RankBody&)>;
// Runs one generation with these options.
using RunGeneration =
    std::function<ExitCode(const TrainOptions&, const Generation&, const StartRanks&)>;

// Why --elastic cannot hold what it promises with this launcher; nothing: it can.
Refusal elastic_refusal(const TrainOptions& options, const Environment& environment);

// Generations until one ends in another way than by lost ranks or a lack of memory, or until there
// are too few ranks, or too many restarts. REQUIRES: elastic_refusal() has none, and no other
// thread runs.
ExitCode run_elastic(const TrainOptions& asked, const std::function<bool()>& interrupted,
                     ElasticProgress& progress, const RunGeneration& run);

}  // namespace linerate
