#include "trainers/programs/elastic.h"

#include "base/error.h"
#include "base/log.h"
#include "job/processes.h"
#include "launch/local_fork.h"
#include "trainers/checkpoint/step_folder.h"
#include "trainers/engine/plan.h"
#include "trainers/engine/replan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace linerate {
namespace {

// Sequences of the largest micro-batch in the layout that is asked for.
std::uint64_t sequences_of(const TrainOptions& options) {
  const auto position = trainers::position_of(options.train, 0, options.nprocs);
  const auto size = trainers::micro_batches_of(options.train, position.batch_nranks()).size;
  return std::min(size, options.train.batch);
}

// Half of a micro-batch; the sentence says why there is none.
Refusal halve_micro_batch(TrainOptions& options) {
  const auto sequences = sequences_of(options);
  if (sequences == 1)
    return "--elastic: memory is short with micro-batches of one sequence, which cannot be halved.";
  if (options.train.deterministic)
    return "--elastic: memory is short, and with --deterministic results depend on --micro-batch, "
           "which is not halved therefore.";
  options.train.micro_batch = (sequences + 1) / 2;
  say(
      fmt::format("--elastic: memory is short: micro-batches of {} sequences instead of {}, and as "
                  "many more of them",
                  options.train.micro_batch, sequences));
  return {};
}

// Of --checkpoint; 0: none.
std::int64_t newest_step(const TrainOptions& options) {
  const auto steps = trainers::steps_in(options.checkpoints.folder);
  return steps.empty() ? 0 : steps.back();
}

// All generations of processes that are forked here.
class Generations {
 public:
  Generations(const TrainOptions& asked, ElasticProgress& progress, const RunGeneration& run)
      : asked_(asked), progress_(progress), run_(run) {
    now_.left = asked.nprocs;
    newest_before_ = newest_step(asked);
  }

  ExitCode run_one();
  // Whether that is why it ended with this code.
  bool lost_ranks(ExitCode code) const {
    return !report_.interrupted && (code == ExitCode::lost || code == ExitCode::failed);
  }
  // Prepares the next one; the sentence says why there is none.
  Refusal go_on();

 private:
  // The options of what is left of the ranks.
  TrainOptions planned();

  TrainOptions asked_;
  ElasticProgress& progress_;
  const RunGeneration& run_;
  Generation now_;
  std::int64_t newest_before_ = 0;  // checkpoint: what --resume asks for is the way to it
  ForkReport report_;
};

TrainOptions Generations::planned() {
  auto options = asked_;
  const auto plan = trainers::replanned(asked_.train, asked_.nprocs, now_.left);
  if (now_.number > 0) {
    options.train = plan.config;
    auto& checkpoints = options.checkpoints;
    if (newest_step(asked_) > newest_before_) checkpoints.resume = kResumeNewest;
  }
  options.nprocs = now_.nranks = plan.nranks;
  now_.layout = trainers::layout_text(plan);
  now_.accumulation = trainers::accumulation_text(plan);
  return options;
}

ExitCode Generations::run_one() {
  report_ = {};
  const auto options = planned();
  const StartRanks start = [&](const JobSetup& setup, const RankBody& body) {
    return fork_processes(options.nprocs,
                          [&](const Identity& own) { return run_process(setup, own, body); },
                          {.timeout_s = options.timeout_s, .report = &report_});
  };
  return run_(options, now_, start);
}

Refusal Generations::go_on() {
  now_.out_of_memory = progress_.memory_was_short();
  if (now_.out_of_memory) {
    if (auto refusal = halve_micro_batch(asked_)) return refusal;
    report_.lost.clear();
  }
  std::ranges::sort(report_.lost);
  now_.lost = report_.lost;
  now_.nranks_before = now_.nranks;
  now_.left -= static_cast<int>(now_.lost.size());
  now_.noticed_ns = report_.noticed_ns;
  now_.steps_before = progress_.steps();
  const auto lost = loss_text(now_);
  if (now_.left < asked_.elastic.min_ranks)
    return fmt::format("--elastic: {}: {} left, of which --min-ranks {} are needed.", lost,
                       now_.left, asked_.elastic.min_ranks);
  if (now_.number == asked_.elastic.max_restarts)
    return fmt::format("--elastic: {}, after all of --max-restarts {}.", lost,
                       asked_.elastic.max_restarts);
  ++now_.number;
  return {};
}

}  // namespace

std::string loss_text(const Generation& generation) {
  if (generation.out_of_memory) return "memory was short";
  if (generation.lost.empty()) return "all ranks ended";
  const bool one = generation.lost.size() == 1;
  return fmt::format("rank{} {} of {} {} lost", one ? "" : "s", fmt::join(generation.lost, ", "),
                     generation.nranks_before, one ? "was" : "were");
}

ElasticProgress::ElasticProgress() {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw SystemError(errno, "mmap");
  shared_ = new (memory) Shared;
}

ElasticProgress::~ElasticProgress() { ::munmap(shared_, sizeof(Shared)); }

Refusal elastic_refusal(const TrainOptions& options, const Environment& environment) {
  const auto identity = identify(options, environment);
  if (!identity) return identity.sentence();
  constexpr std::string_view kInstead = "Start it with --nprocs N.";
  switch (identity->launcher) {
    case Launcher::nprocs:
      break;
    case Launcher::none:
      return fmt::format("--elastic needs ranks that are processes. {}", kInstead);
    case Launcher::mpi:
      return fmt::format(
          "--elastic cannot go on under an MPI launcher, which ends all ranks once one is lost. {}",
          kInstead);
    case Launcher::slurm:
    case Launcher::env:
      return fmt::format("--elastic cannot go on with ranks that {} has started. {}",
                         identity->launcher == Launcher::slurm ? "srun" : "another launcher",
                         kInstead);
  }
  if (!options.rank_order_file.empty())
    return "--rank-order has a place for each rank, and --elastic goes on with fewer: give --order "
           "instead.";
  if (options.elastic.min_ranks > options.nprocs)
    return fmt::format("--min-ranks {} are more than the {} of --nprocs.",
                       options.elastic.min_ranks, options.nprocs);
  return trainers::mesh_refusal(options.train, options.nprocs);
}

ExitCode run_elastic(const TrainOptions& asked, const std::function<bool()>& interrupted,
                     ElasticProgress& progress, const RunGeneration& run) {
  Generations generations(asked, progress, run);
  for (;;) {
    const auto code = generations.run_one();
    if (interrupted() || !generations.lost_ranks(code)) return code;
    if (const auto refusal = generations.go_on()) {
      say(*refusal);
      return code;
    }
  }
}

}  // namespace linerate
