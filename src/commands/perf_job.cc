// Rank 0 ends the outputs of each run before the next one begins, and those of the last when the
// job has ended: then it knows whether all ranks came to that end.
#include "commands/perf_job.h"

#include "base/log.h"
#include "base/units.h"
#include "bench/plan.h"
#include "cli/checks.h"
#include "commands/describe.h"
#include "commands/preview.h"
#include "launch/job_failure.h"
#include "output/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace linerate {
namespace {

bool is_sendrecv(const RunConfig& run) {
  return run.collective != nullptr && run.collective->name == "sendrecv";
}

// nccl-tests sets the second field for sendrecv only; what else a suite runs on the same
// communicators has more peers.
RunConfig with_gpu_options(const ParsedRun& parsed) {
  auto config = parsed.config;
  if (config.gpu.nccl_tests_config && std::ranges::all_of(parsed.runs, is_sendrecv))
    config.gpu.max_p2p_peers = 2;
  return config;
}

// The sizes of the sweep that all collectives of a suite have.
std::vector<std::size_t> sizes_of(const ParsedRun& parsed) {
  return parsed.config.collective == nullptr ? sweep_sizes(parsed.config)
                                             : std::vector<std::size_t>();
}

// Of a suite; empty: there is one run only.
std::string study_of(const CommandInput& input, const RunConfig& config) {
  if (input.call.command != Command::suite) return {};
  return config.study.empty() ? random_id() : config.study;
}

// The worst of the codes that runs which came to their end can have.
ExitCode worse_run(ExitCode one, ExitCode other) {
  constexpr std::array kByWeight{ExitCode::ok, ExitCode::unavailable, ExitCode::finding,
                                 ExitCode::failed, ExitCode::interrupted};
  return std::max(one, other, [&](ExitCode a, ExitCode b) {
    return std::ranges::find(kByWeight, a) < std::ranges::find(kByWeight, b);
  });
}

// Whether it is the number of ranks that the collective cannot take.
bool takes(const RunConfig& run, std::int64_t nranks) {
  if (run.collective == nullptr || run.collective->refusal == nullptr) return true;
  const auto groups = group_sizes(run, static_cast<int>(nranks));
  return std::ranges::none_of(
      groups, [&](const auto& group) { return run.collective->refusal(group.second).has_value(); });
}

}  // namespace

struct PerfJob::Process {
  Job& job;
  std::vector<RunInfo> infos{};  // of each run, on rank 0
};

PerfJob::PerfJob(const CommandInput& input, const ParsedRun& parsed)
    : input_(input),
      config_(with_gpu_options(parsed)),
      study_(study_of(input, parsed.config)),
      progress_(parsed.config.progress, study_.empty() ? "" : parsed.config.program),
      table_(sizes_of(parsed)) {
  for (const auto& run : parsed.runs) runs_.push_back(std::make_unique<OneRun>(input, run));
  current_ = runs_.front().get();
}

std::vector<RunConfig> PerfJob::configs() const {
  std::vector<RunConfig> configs;
  for (const auto& run : runs_) configs.push_back(run->config());
  return configs;
}

Refusal PerfJob::fit_to(std::int64_t nranks, const host::Network* network, bool says) {
  Refusal refusal;
  std::string reasons;
  const bool leaves_out = is_suite() && config_.suite.collectives.empty();
  std::erase_if(runs_, [&](const auto& run) {
    auto found = refusal_for_ranks(run->config(), nranks, network);
    if (!found) return false;
    const bool left_out = leaves_out && !takes(run->config(), nranks);
    if (left_out) reasons += fmt::format(" {}", *found);
    if (left_out) run->leave_out(*found);
    if (!left_out && !refusal) refusal = std::move(found);
    return left_out;
  });
  if (runs_.empty()) return reasons.substr(1);
  current_ = runs_.front().get();
  if (says && !reasons.empty()) say(fmt::format("note: left out:{}", reasons));
  return refusal;
}

Refusal PerfJob::open_outputs() {
  for (const auto& run : runs_)
    if (auto refusal = run->open_outputs(progress_, is_suite() ? &table_ : nullptr)) return refusal;
  return {};
}

// What fails before the ranks have started is in the files as well.
ExitCode PerfJob::run(const Identity& identity,
                      const std::shared_ptr<const host::Network>& network) {
  try {
    return run_process(identity, network.get());
  } catch (const Error& error) {
    const auto full = with_stopped_ranks(error, identity);
    if (identity.rank == 0) end_hung(full.exit_code(), full.what());
    throw Error(full);
  } catch (const std::exception& error) {
    if (identity.rank == 0) end_hung(ExitCode::failed, error.what());
    throw;
  }
}

// Before the ranks' threads start, which may use less of the machine than the process.
RunInfo PerfJob::describe(const RunConfig& run, const Identity& identity, Job& job,
                          const host::Network* network) const {
  auto info = describe_run(run, input_.environment, identity, job.backend());
  if (is_suite()) info.study = study_;
  if (network != nullptr)
    info.emulated = fmt::format("{}, {}", config_.emulate_file, network->words());
  return info;
}

ExitCode PerfJob::run_process(const Identity& identity, const host::Network* network) {
  const auto runs = configs();
  const auto settings = shared_settings(config_, runs);
  const JobSetup setup{.config = config_,
                       .environment = input_.environment,
                       .interrupted = input_.interrupted,
                       .answer_interrupts = input_.answer_interrupts,
                       .at_end =
                           [this](ExitCode code, const std::string& sentence) {
                             if (const auto* run = current_.load()) say_where(*run);
                             end_hung(code, sentence);
                           },
                       .settings = settings,
                       .observes = std::ranges::any_of(runs, &RunConfig::observes)};
  Job job(setup, identity);
  if (const auto refusal = refusal_of(job, network)) {
    if (job.has_rank_0()) throw Error(*refusal);
    return refusal->exit_code();  // every process refuses the same, and rank 0 says so
  }
  if (job.has_rank_0()) follow_runs();
  Process process{.job = job};
  if (job.has_rank_0())
    for (const auto& run : configs())
      process.infos.push_back(describe(run, identity, job, network));
  auto outcome = job.run([&](RankContext& rank) { return run_thread(rank, process); });
  if (job.has_rank_0()) end_outputs(outcome);
  return job.leave(outcome);
}

// What only the processes together know: how many ranks there are, and whether they have GPUs.
std::optional<Error> PerfJob::refusal_of(Job& job, const host::Network* network) {
  if (const auto refusal = fit_to(job.nranks(), network, job.has_rank_0()))
    return Error(*refusal, ExitCode::usage);
  const bool on_gpus = job.backend().capabilities().device_memory;
  for (const auto& run : runs_)
    if (const auto refusal = gpu_option_refusal(run->config(), on_gpus))
      return Unavailable(*refusal);
  return std::nullopt;
}

void PerfJob::follow_runs() {
  std::vector<const RunConfig*> configs;
  for (const auto& run : runs_) configs.push_back(&run->config());
  progress_.follow(std::move(configs));
}

ExitCode PerfJob::run_thread(RankContext& rank, const Process& process) {
  auto worst = ExitCode::ok;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    bool interrupted = i > 0 && rank.any_interrupted();
    if (interrupted && rank.is_first()) current_ = nullptr;  // the next one is not begun
    if (!interrupted) {
      const auto outcome = measure(rank, process, i);
      worst = worse_run(worst, outcome.code);
      interrupted = outcome.interrupted;
    }
    if (interrupted) return ExitCode::interrupted;
  }
  return worst;
}

OneRun::Outcome PerfJob::measure(RankContext& rank, const Process& process, std::size_t index) {
  OneRun& run = *runs_[index];
  OneRun::Start start{.observes_calls = process.job.observes(),
                      .another_follows = index + 1 < runs_.size()};
  if (rank.is_first()) {
    start.info = process.infos[index];
    start.info.start_time = utc_text(std::chrono::system_clock::now());
  }
  const auto outcome = run.measure(rank, start, runs_.size() == 1);
  if (!rank.is_first()) return outcome;
  code_of_current_ = outcome.code;
  if (start.another_follows && !outcome.interrupted) {
    run.end(outcome.code, std::nullopt);
    current_ = runs_[index + 1].get();
    progress_.line().show();
  }
  return outcome;
}

// A dead rank, and what it died of, may be known without the run that it died in.
void PerfJob::say_where(const OneRun& run) const {
  if (!is_suite()) return;
  const auto at = std::ranges::find(runs_, &run, [](const auto& owned) { return owned.get(); });
  say(fmt::format("the suite ended in {}, run {} of {}", run.config().program,
                  at - runs_.begin() + 1, runs_.size()));
}

void PerfJob::end_run(OneRun& run, const JobOutcome& outcome) {
  if (outcome.failure) say_where(run);
  run.end(outcome.failure ? outcome.code : code_of_current_, outcome.failure);
}

// What cannot be written is a failure of the job, of which the other processes hear.
void PerfJob::end_outputs(JobOutcome& outcome) {
  try {
    progress_.end();
    if (auto* run = current_.load()) end_run(*run, outcome);
    end_unbegun();
    print_summary();
  } catch (...) {
    const auto failure = JobFailure::current();
    say(failure.sentence);
    if (!outcome.failure)
      outcome = {.code = failure.exit_code, .failure = failure.sentence, .cause = failure.sentence};
  }
}

// From any thread.
void PerfJob::end_hung(ExitCode code, const std::string& sentence) noexcept {
  auto* run = current_.load();
  if (run != nullptr) run->outputs().end_hung(code, sentence);
  end_unbegun();
}

// Those that ended, or have begun, stay as they are.
void PerfJob::end_unbegun() noexcept {
  for (const auto& run : runs_) run->leave_out("The run never began: the suite ended before it.");
}

void PerfJob::print_summary() {
  if (!is_suite() || table_.empty()) return;
  TextFile::standard_output().write(table_.text());
}

}  // namespace linerate
