#include "trainers/programs/elastic.h"

#include "base/error.h"
#include "base/log.h"
#include "job/processes.h"
#include "trainers/checkpoint/step_folder.h"
#include "trainers/engine/plan.h"
#include "trainers/engine/replan.h"
#include "trainers/programs/members.h"
#include "trainers/programs/train_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace linerate {
namespace {

// Of --checkpoint; 0: none.
std::int64_t newest_step(const TrainOptions& options) {
  const auto steps = trainers::steps_in(options.checkpoints.folder);
  return steps.empty() ? 0 : steps.back();
}

class Generations {
 public:
  Generations(const TrainOptions& asked, int nranks_asked, Members& members,
              ElasticProgress& progress)
      : asked_(asked),
        nranks_asked_(nranks_asked),
        members_(members),
        progress_(progress),
        newest_before_(newest_step(asked)) {}

  // Agrees on the next one. False where there is none for this process; the sentence says why there
  // is none for any.
  Result<bool> agree();
  ExitCode run(const RunGeneration& run_one);

 private:
  // Of micro-batches after so many halvings; the sentence says why there is no further one.
  Refusal halve(trainers::TrainConfig& train) const;

  const TrainOptions& asked_;
  const int nranks_asked_;
  Members& members_;
  ElasticProgress& progress_;
  Generation now_;
  TrainOptions options_;  // for it
  // Checkpoint: what --resume asks for is the way to it. 0 where this process comes to a run that
  // goes on already.
  std::int64_t newest_before_;
  bool came_ = false;
};

Refusal Generations::halve(trainers::TrainConfig& train) const {
  const auto position = trainers::position_of(train, 0, nranks_asked_);
  const auto asked =
      std::min(trainers::micro_batches_of(train, position.batch_nranks()).size, train.batch);
  auto sequences = asked;
  for (int i = 0; i < now_.halvings && sequences > 0; ++i)
    sequences = sequences == 1 ? 0 : (sequences + 1) / 2;
  if (sequences == 0)
    return "--elastic: memory is short with micro-batches of one sequence, which cannot be halved.";
  if (train.deterministic)
    return "--elastic: memory is short, and with --deterministic results depend on --micro-batch, "
           "which is not halved therefore.";
  train.micro_batch = sequences;
  if (now_.out_of_memory && now_.has_rank_0)
    say(
        fmt::format("--elastic: memory is short: micro-batches of {} sequences instead of {}, and "
                    "as many more of them",
                    sequences, asked));
  return {};
}

Result<bool> Generations::agree() {
  if (!members_.agree(now_)) return false;
  const auto lost = loss_text(now_);
  const auto& elastic = asked_.elastic;
  if (now_.left < elastic.min_ranks)
    return Failure{fmt::format("--elastic: {}: {} left, of which --min-ranks {} are needed.", lost,
                               now_.left, elastic.min_ranks)};
  if (now_.number > elastic.max_restarts)
    return Failure{
        fmt::format("--elastic: {}, after all of --max-restarts {}.", lost, elastic.max_restarts)};
  if (!std::exchange(came_, true) && now_.number > 0) newest_before_ = 0;
  options_ = asked_;
  if (now_.halvings > 0)
    if (const auto refusal = halve(options_.train)) return Failure{*refusal};
  const auto plan = trainers::replanned(options_.train, nranks_asked_, now_.left);
  now_.nranks = plan.nranks;
  now_.layout = trainers::layout_text(plan);
  now_.accumulation = trainers::accumulation_text(plan);
  if (options_.nprocs > 0) options_.nprocs = plan.nranks;
  if (now_.number == 0) return true;
  options_.train = plan.config;
  auto& checkpoints = options_.checkpoints;
  if (newest_step(asked_) > newest_before_) checkpoints.resume = kResumeNewest;
  return true;
}

ExitCode Generations::run(const RunGeneration& run_one) {
  return run_one(options_, now_, progress_, [&](const JobSetup& setup, const RankBody& body) {
    return members_.run(now_.nranks, setup, body);
  });
}

}  // namespace

std::string loss_text(const Generation& generation) {
  if (generation.out_of_memory) return "memory was short";
  if (generation.lost.empty()) return "all ranks ended";
  const bool one = generation.lost.size() == 1;
  return fmt::format("rank{} {} of {} {} lost", one ? "" : "s", fmt::join(generation.lost, ", "),
                     generation.nranks_before, one ? "was" : "were");
}

Result<ExitCode> run_elastic(const TrainOptions& asked, const Environment& environment,
                             const std::function<bool()>& interrupted, const RunGeneration& run) {
  const auto identity = identify(asked, environment);
  if (!identity) return identity.failure();
  if (!asked.rank_order_file.empty())
    return Failure{
        "--rank-order has a place for each rank, and --elastic goes on with fewer: give --order "
        "instead."};
  const int nranks = identity->nranks;
  if (nranks > 0 && asked.elastic.min_ranks > nranks)
    return Failure{fmt::format("--min-ranks {} are more than the {} of {}.",
                               asked.elastic.min_ranks, nranks,
                               asked.nprocs > 0 ? "--nprocs" : "this job")};
  ElasticProgress progress(static_cast<std::size_t>(std::max(1, nranks)));
  auto members = members_of(asked, environment, progress);
  if (!members) return members.failure();
  if (const auto refusal = job_refusal(asked.train, nranks)) return Failure{*refusal};
  Generations generations(asked, nranks, **members, progress);
  for (auto code = ExitCode::ok;;) {
    const auto next = generations.agree();
    if (!next) say(next.sentence());
    if (!next) return code;
    if (!*next) return ExitCode::ok;
    code = generations.run(run);
    const bool lost = code == ExitCode::lost || code == ExitCode::failed;
    if (!lost || (*members)->interrupted() || interrupted()) return code;
  }
}

}  // namespace linerate
