#include "trainers/programs/members.h"

#include "base/clock.h"
#include "base/error.h"
#include "job/processes.h"
#include "launch/identity_claims.h"
#include "launch/local_fork.h"
#include "launch/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <optional>
#include <utility>

namespace linerate {
namespace {

// Of --nprocs: all ranks are children of this process, which needs to ask nobody.
class ForkedMembers final : public Members {
 public:
  ForkedMembers(const TrainOptions& options, ElasticProgress& progress)
      : options_(options), progress_(progress) {}

  bool agree(Generation& next) override;
  ExitCode run(int nranks, const JobSetup& setup, const RankBody& body) override;
  bool interrupted() const override { return report_.interrupted; }

 private:
  const TrainOptions& options_;
  ElasticProgress& progress_;
  std::optional<int> left_;  // nothing: before the first generation
  int nranks_ = 0;
  ForkReport report_;
};

bool ForkedMembers::agree(Generation& next) {
  next = {.number = left_ ? next.number + 1 : 0,
          .out_of_memory = progress_.memory_was_short(),
          .halvings = next.halvings,
          .nranks_before = nranks_,
          .steps_before = progress_.steps(),
          .noticed_ns = report_.noticed_ns};
  if (next.out_of_memory)
    ++next.halvings;
  else
    next.lost = report_.lost;
  std::ranges::sort(next.lost);
  left_ = left_.value_or(options_.nprocs) - static_cast<int>(next.lost.size());
  next.left = *left_;
  return true;
}

ExitCode ForkedMembers::run(int nranks, const JobSetup& setup, const RankBody& body) {
  nranks_ = nranks;
  report_ = {};
  return fork_processes(nranks, [&](const Identity& own) { return run_process(setup, own, body); },
                        {.timeout_s = options_.timeout_s, .report = &report_});
}

// A request to end ends a process that waits for others, and has nothing to keep, at once.
class EndedBySignals {
 public:
  EndedBySignals() {
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
      struct sigaction action {};
      (void)::sigaction(kEndingSignals[i], nullptr, &before_[i]);
      action.sa_handler = before_[i].sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL;
      (void)::sigaction(kEndingSignals[i], &action, nullptr);
    }
  }
  ~EndedBySignals() {
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i)
      (void)::sigaction(kEndingSignals[i], &before_[i], nullptr);
  }
  EndedBySignals(const EndedBySignals&) = delete;
  EndedBySignals& operator=(const EndedBySignals&) = delete;

 private:
  std::array<struct sigaction, kEndingSignals.size()> before_{};
};

// Of env: each process is the parent of one rank.
class MetMembers final : public Members {
 public:
  MetMembers(const TrainOptions& options, const Identity& identity, ElasticProgress& progress)
      : options_(options), progress_(progress), rendezvous_(identity) {}

  bool agree(Generation& next) override;
  ExitCode run(int nranks, const JobSetup& setup, const RankBody& body) override;
  bool interrupted() const override { return report_.interrupted; }

 private:
  const TrainOptions& options_;
  ElasticProgress& progress_;
  SteadyClock clock_;
  Rendezvous rendezvous_;
  std::optional<Meeting> meeting_;
  bool has_place_ = true;  // in the layout; else it waits until others are lost
  int nranks_ = 0;
  ForkReport report_;
};

bool MetMembers::agree(Generation& next) {
  const auto timeout_s = meeting_ ? Rendezvous::kGoneS : options_.init_timeout_s();
  const bool out_of_memory = progress_.memory_was_short();
  try {
    const EndedBySignals ended;
    meeting_ = rendezvous_.meet({.lost = progress_.were_lost(),
                                 .lost_its_own = !report_.lost.empty() && !out_of_memory,
                                 .out_of_memory = out_of_memory,
                                 .steps = progress_.steps()},
                                timeout_s);
  } catch (const TimeoutError&) {
    if (has_place_) throw;
    return false;
  }
  next = {.number = meeting_->generation,
          .lost = meeting_->lost,
          .out_of_memory = meeting_->out_of_memory,
          .halvings = meeting_->halvings,
          .nranks_before = nranks_ > 0 ? nranks_ : meeting_->nranks_before,
          .left = static_cast<int>(meeting_->processes.size()),
          .has_rank_0 = rendezvous_.rank_in(*meeting_) == 0,
          .steps_before = meeting_->steps,
          .noticed_ns = report_.noticed_ns > 0 ? report_.noticed_ns : clock_.now_ns()};
  return true;
}

ExitCode MetMembers::run(int nranks, const JobSetup& setup, const RankBody& body) {
  auto identity = rendezvous_.identity_in(*meeting_);
  report_ = {};
  nranks_ = identity.nranks = nranks;
  has_place_ = identity.rank < nranks;
  if (!has_place_) return ExitCode::lost;
  return fork_process(identity, [&](const Identity& own) { return run_process(setup, own, body); },
                      {.timeout_s = options_.timeout_s, .report = &report_});
}

constexpr std::string_view kInstead =
    "Start it with --nprocs N, or each rank with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.";

}  // namespace

Result<std::unique_ptr<Members>> members_of(const TrainOptions& options,
                                            const Environment& environment,
                                            ElasticProgress& progress) {
  const auto identity = identify(options, environment);
  if (!identity) return identity.failure();
  switch (identity->launcher) {
    case Launcher::nprocs:
      return std::unique_ptr<Members>(std::make_unique<ForkedMembers>(options, progress));
    case Launcher::none:
      return Failure{fmt::format("--elastic needs ranks that are processes. {}", kInstead)};
    case Launcher::mpi:
      return Failure{fmt::format(
          "--elastic cannot go on under an MPI launcher, which ends all ranks once one is lost. {}",
          kInstead)};
    case Launcher::slurm:
      return Failure{fmt::format(
          "--elastic cannot go on under srun, which ends a step that has lost a task. {}",
          kInstead)};
    case Launcher::env:
      break;
  }
  if (started_by_torchrun(environment))
    return Failure{
        "--elastic: torchrun starts ranks again by itself. Give it --max-restarts and this program "
        "--resume auto, and leave --elastic out."};
  if (identity->nranks > Rendezvous::kMaxProcesses)
    return Failure{fmt::format("--elastic takes up to {} ranks, and WORLD_SIZE is {}.",
                               Rendezvous::kMaxProcesses, identity->nranks)};
  return std::unique_ptr<Members>(std::make_unique<MetMembers>(options, *identity, progress));
}

}  // namespace linerate
