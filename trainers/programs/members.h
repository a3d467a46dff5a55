// Who takes part in a generation of --elastic, and how its ranks are started.
#pragma once

#include "trainers/programs/elastic.h"

#include <memory>

namespace linerate {

class Members {
 public:
  virtual ~Members() = default;

  // Agrees with all others that are left on the next generation: its number, who was lost, how many
  // are left. False where the job has ended while this process had no place in it. Throws
  // TimeoutError where the others cannot be reached.
  virtual bool agree(Generation& next) = 0;
  // Runs the ranks of this process, of `nranks`. Yields their exit code.
  virtual ExitCode run(int nranks, const JobSetup& setup, const RankBody& body) = 0;
  // Whether a request to end has reached this process while its ranks ran.
  virtual bool interrupted() const = 0;
};

// Those of --nprocs, or of env, where each started process is the parent of one rank. The sentence
// says why --elastic cannot hold what it promises with another launcher.
Result<std::unique_ptr<Members>> members_of(const TrainOptions& options,
                                            const Environment& environment,
                                            ElasticProgress& progress);

}  // namespace linerate
