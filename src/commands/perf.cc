// The benchmark tools: from the command line to the exit code.
#include "base/error.h"
#include "base/log.h"
#include "bench/plan.h"
#include "bench/run.h"
#include "bench/survey/machine_facts.h"
#include "cli/checks.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/tokens.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/outputs.h"
#include "commands/preview.h"
#include "diagnose/judge.h"
#include "diagnose/nccl_model.h"
#include "job/job.h"
#include "launch/job_failure.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace linerate {
namespace {

// nccl-tests sets the second field for sendrecv only.
GpuOptions gpu_options(const RunConfig& config) {
  GpuOptions options = config.gpu;
  const bool neighbours = config.collective != nullptr && config.collective->name == "sendrecv";
  if (options.nccl_tests_config && neighbours) options.max_p2p_peers = 2;
  return options;
}

// Of processes that refuse the same, one says so: rank 0, or the first of a host.
ExitCode refuse_once(bool says, const std::string& sentence) {
  if (says) say(sentence);
  return ExitCode::usage;
}

// Of the processes of a host, the one that says what that host lacks; each where the launcher does
// not tell.
bool is_first_on_host(const Environment& environment) {
  for (const auto* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "LOCAL_RANK"})
    if (const auto local_rank = environment.get(name)) return *local_rank == "0";
  return true;
}

// A run in one of its processes.
class PerfProcess {
 public:
  // `outputs` are used by the process of rank 0 only. All outlive it.
  PerfProcess(const CommandInput& input, const RunConfig& config, Outputs* outputs)
      : input_(input), config_(config), outputs_(outputs) {}

  ExitCode run(const Identity& identity, const std::shared_ptr<const host::Network>& network);

 private:
  ExitCode run_job_of(const Identity& identity,
                      const std::shared_ptr<const host::Network>& network);
  std::optional<Error> refusal_of(Job& job, const host::Network* network) const;
  ExitCode run_thread(RankContext& rank, const BenchConfig& config, const RunInfo& started);
  void end_outputs(JobOutcome& outcome);
  RunEvents events_of(const RankContext& rank);
  std::size_t known_cache_bytes(const RankContext& rank) const;
  void begin_judging(const RunStart& start);
  Judgement judgement(const RunTotals& totals) const;
  ExitCode verdict(const RunTotals& totals, const Judgement& judgement) const;
  bool misses_average(const RunTotals& totals) const;
  std::optional<std::string> remark(ExitCode code) const;

  const CommandInput& input_;
  const RunConfig& config_;
  Outputs* outputs_;
  RunTotals totals_;
  Judge judge_;                         // on rank 0
  std::optional<Judgement> judgement_;  // on rank 0, of a run that came to its end
  std::string why_no_bound_;            // on rank 0: in words that follow a colon
};

// What fails before the ranks have started is in the files as well.
ExitCode PerfProcess::run(const Identity& identity,
                          const std::shared_ptr<const host::Network>& network) {
  try {
    return run_job_of(identity, network);
  } catch (const Error& error) {
    const auto full = with_stopped_ranks(error, identity);
    if (identity.rank == 0) outputs_->end_hung(full.exit_code(), full.what());
    throw Error(full);
  } catch (const std::exception& error) {
    if (identity.rank == 0) outputs_->end_hung(ExitCode::failed, error.what());
    throw;
  }
}

ExitCode PerfProcess::run_job_of(const Identity& identity,
                                 const std::shared_ptr<const host::Network>& network) {
  const auto settings = shared_settings(config_);
  const JobSetup setup{
      .config = config_,
      .environment = input_.environment,
      .interrupted = input_.interrupted,
      .answer_interrupts = input_.answer_interrupts,
      .at_end = [this](ExitCode code,
                       const std::string& sentence) { outputs_->end_hung(code, sentence); },
      .settings = settings,
      .observes = config_.observes()};
  Job job(setup, identity);
  if (const auto refusal = refusal_of(job, network.get())) {
    if (job.has_rank_0()) throw Error(*refusal);
    return refusal->exit_code();  // every process refuses the same, and rank 0 says so
  }
  BenchConfig config = config_;
  config.observes_calls = job.observes();
  RunInfo started;
  if (job.has_rank_0())
    started = describe_run(config_, input_.environment, identity, job.backend());
  if (network) started.emulated = fmt::format("{}, {}", config_.emulate_file, network->words());
  auto outcome = job.run([&](RankContext& rank) { return run_thread(rank, config, started); });
  if (job.has_rank_0()) end_outputs(outcome);
  return job.leave(outcome);
}

// What cannot be written is a failure of the job, of which the other processes hear.
void PerfProcess::end_outputs(JobOutcome& outcome) {
  const auto& totals = outcome.failure ? outputs_->so_far() : totals_;
  try {
    outputs_->end(totals, {.exit_code = outcome.code,
                           .error = outcome.failure ? outcome.failure : remark(outcome.code),
                           .judgement = judgement_ ? *judgement_ : judgement(totals)});
  } catch (...) {
    const auto failure = JobFailure::current();
    say(failure.sentence);
    if (!outcome.failure)
      outcome = {.code = failure.exit_code, .failure = failure.sentence, .cause = failure.sentence};
  }
}

// What only the processes together know: how many ranks there are, and whether they have GPUs.
std::optional<Error> PerfProcess::refusal_of(Job& job, const host::Network* network) const {
  if (const auto refusal = refusal_for_ranks(config_, job.nranks(), network))
    return Error(*refusal, ExitCode::usage);
  const bool on_gpus = job.backend().capabilities().device_memory;
  if (const auto refusal = gpu_option_refusal(config_, on_gpus)) return Unavailable(*refusal);
  return std::nullopt;
}

ExitCode PerfProcess::run_thread(RankContext& rank, const BenchConfig& config,
                                 const RunInfo& started) {
  const auto events = events_of(rank);
  const auto measure = config.collective == nullptr ? run_p2p : run_benchmark;
  const auto totals = measure(rank, config, started, events);
  if (!rank.is_first()) return ExitCode::ok;
  totals_ = totals;
  judgement_ = judgement(totals);
  return verdict(totals, *judgement_);
}

// Results get their bound before they go on.
RunEvents PerfProcess::events_of(const RankContext& rank) {
  if (!rank.is_first()) return {};
  return {.begin =
              [this](const RunStart& start) {
                begin_judging(start);
                outputs_->begin(start);
              },
          .results =
              [this](std::span<Record> groups, const RunTotals& so_far) {
                if (config_.expects) judge_.add_bounds(groups);
                outputs_->results(groups, so_far);
              },
          .row =
              [this](std::span<Record> row) {
                if (config_.expects) judge_.add_bounds_to_row(row);
                outputs_->row(row);
              },
          .pair_bytes = [this] { return judge_.pair_bytes(); },
          .cache_bytes = known_cache_bytes(rank)};
}

void PerfProcess::begin_judging(const RunStart& start) {
  std::unique_ptr<PerformanceModel> model;
  if (config_.expects && config_.collective != nullptr) {
    auto found = model_for(start.info, start.limits, input_.environment);
    if (found)
      model = std::move(found).value();
    else
      why_no_bound_ = found.sentence();
  }
  judge_.begin(start.info, std::move(model), start.traffic);
}

Judgement PerfProcess::judgement(const RunTotals& totals) const {
  return judge_.judgement(
      {.memory = totals.memory, .network = totals.network, .pairs = totals.pairs});
}

// As `linerate topo --measure` found it.
std::size_t PerfProcess::known_cache_bytes(const RankContext& rank) const {
  if (!config_.expects || rank.capabilities().device_memory) return 0;
  std::string complaint;
  const auto facts = find_facts(input_.environment, complaint);
  if (!complaint.empty()) say("note: " + complaint);
  return facts ? cache_end(facts->survey) : 0;
}

ExitCode PerfProcess::verdict(const RunTotals& totals, const Judgement& judgement) const {
  if (totals.interrupted) return ExitCode::interrupted;
  if (totals.failed_checks > 0) return ExitCode::failed;
  if (misses_average(totals)) return ExitCode::finding;
  const auto result = pass_gate({.fail_below = config_.fail_below,
                                 .lists_verdicts = config_.lists_verdicts,
                                 .expects = config_.expects,
                                 .pairs = config_.collective == nullptr},
                                judgement, why_no_bound_);
  if (!result.sentence.empty()) say(result.sentence);
  return result.code;
}

// NCCL_TESTS_MIN_BW
bool PerfProcess::misses_average(const RunTotals& totals) const {
  const auto& wanted = config_.min_bw_gbps;
  return wanted && !fast_enough(totals.average_busbw_gbps(), *wanted);
}

// What the end of a run that did not fail says beside its numbers.
std::optional<std::string> PerfProcess::remark(ExitCode code) const {
  if (code == ExitCode::interrupted && !input_.interrupted())
    say("interrupted by a signal that another rank heard");
  if (code == ExitCode::interrupted)
    return "interrupted by a signal: what follows the last row was not measured";
  if (code == ExitCode::finding && misses_average(totals_))
    say(fmt::format("NCCL_TESTS_MIN_BW={} GB/s is missed: the average bus bandwidth is {:.4g} GB/s",
                    *config_.min_bw_gbps, totals_.average_busbw_gbps()));
  return std::nullopt;
}

// Everything that can be refused before the processes meet; then the run.
ExitCode run_parsed(const CommandInput& input, const ParsedRun& parsed) {
  RunConfig config = parsed.config;
  config.gpu = gpu_options(config);
  const auto network = network_of(config);
  if (!network) return refuse(network.sentence());
  const auto identity = identify(config, input.environment);
  if (!identity) return refuse(identity.sentence());
  const bool is_first = identity->rank == 0;
  if (is_first)
    for (const auto& notes : {identity->notes, parsed.notes})
      for (const auto& note : notes) say(note);
  if (const auto refusal = algorithm_refusal(config)) return refuse_once(is_first, *refusal);
  const bool gpus = auto_takes_gpus(config, input.environment);
  const int processes = config.nprocs > 0 ? config.nprocs : identity->nranks;
  const auto nranks = std::int64_t{processes} * config.ranks_per_process();  // 0: only MPI knows
  if (nranks > 0)
    if (const auto refusal = refusal_for_ranks(config, nranks, network->get()))
      return refuse_once(is_first, *refusal);
  // Before the memory: the matrix says how large -b has to be, the memory whether that fits.
  if (nranks > 0 && config.collective != nullptr)
    (void)traffic_of(config, largest_group(config, static_cast<int>(nranks)));
  const bool only_shows = config.dry_run || (config.list && config.collective != nullptr);
  if (const auto refusal = refusal_here(config, *identity, gpus, !only_shows))
    return refuse_once(is_first || is_first_on_host(input.environment), *refusal);
  if (only_shows) return preview(parsed, *identity, static_cast<int>(nranks), gpus);
  Result<std::unique_ptr<Outputs>> outputs = std::unique_ptr<Outputs>();
  if (is_first) outputs = Outputs::open(config, input.environment, input.interrupted);
  if (!outputs) return refuse(outputs.sentence());
  return in_each_process(*identity, config, [&](const Identity& own) {
    return PerfProcess(input, config, outputs->get()).run(own, *network);
  });
}

}  // namespace

ExitCode refuse(const std::string& sentence) {
  say(sentence);
  return ExitCode::usage;
}

bool answers(Intent intent, const Invocation& call) {
  if (intent == Intent::run) return false;
  fmt::print("{}", intent == Intent::help ? tool_help(call) : version_text() + "\n");
  return true;
}

bool answers_help(std::span<const std::string> words, Audience program) {
  if (!asks_for_help(words, program)) return false;
  fmt::print("{}", command_help(*find_command(program)));
  return true;
}

ExitCode perf_command(const CommandInput& input) {
  const auto parsed = parse_run(input.call, input.environment);
  if (!parsed) return refuse(parsed.sentence());
  if (answers(parsed->intent, input.call)) return ExitCode::ok;
  return run_parsed(input, *parsed);
}

}  // namespace linerate
