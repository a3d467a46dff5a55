// See process_run.h.
#include "commands/process_run.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/wire.h"
#include "bench/p2p.h"
#include "bench/run.h"
#include "bench/survey/machine_facts.h"
#include "commands/bound_verdict.h"
#include "commands/describe.h"
#include "commands/fabric.h"
#include "commands/nccl_expecter.h"
#include "commands/outputs.h"
#include "commands/ranks.h"
#include "launch/job_failure.h"
#include "launch/place.h"
#include "launch/siblings.h"
#include "launch/start_guard.h"
#include "launch/threads/rank_threads.h"
#include "launch/watch/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

namespace linerate {
namespace {

constexpr auto kWritersTime = std::chrono::seconds(1);  // for rank 0 to end its files

// One process of a run, step by step.
class ProcessRunner {
 public:
  ProcessRunner(const ProcessRun& run, const Identity& identity);

  ExitCode run();

 private:
  void check_ranks() const;
  StartGuard::Options guard_options();
  void run_thread(Bootstrap& member, const std::function<void()>& report);
  void thread_is_set_up();
  std::size_t known_cache_bytes() const;
  std::unique_ptr<Expecter> expecter(const RunInfo& info);
  ExitCode verdict(const RunTotals& totals) const;
  bool misses_average(const RunTotals& totals) const;
  ExitCode finish(ExitCode exit_code);
  ExitCode fail(const Error& error);
  std::optional<std::string> remark(ExitCode code) const;
  std::string own_name() const;
  void thread_failed(const std::string& sentence);
  void await_report() const;
  bool blames_others() const;
  std::string failure_sentence(const Error& error) const;
  int threads() const;
  bool writes() const { return identity_.rank == 0; }

  const ProcessRun& run_;
  const Identity& identity_;
  SteadyClock clock_;
  StartGuard guard_;
  std::atomic<int> threads_set_up_{0};
  Deadline init_deadline_;
  Fabric fabric_;
  std::unique_ptr<Watch> watch_;
  RunTotals totals_;
  std::string unjudged_;  // on rank 0: why nobody can tell how fast results should be
};

ProcessRunner::ProcessRunner(const ProcessRun& run, const Identity& identity)
    : run_(run),
      identity_(identity),
      guard_(guard_options()),
      init_deadline_(Deadline::after(clock_, run.config.init_timeout_s())),
      fabric_(open_fabric(run, identity, {clock_, init_deadline_, &guard_.waiting_for()})) {
  check_ranks();
  watch_ = Watch::start(fabric_.process(),
                        {.timeout_s = run.config.timeout_s,
                         .nthreads = threads(),
                         .ranks_per_thread = run.config.nthreads * run.config.ngpus / threads(),
                         .deadline = init_deadline_,
                         .hang_report = [this] { return fabric_.backend->hang_report(); }});
  guard_.watched();
}

StartGuard::Options ProcessRunner::guard_options() {
  need_descriptors(identity_.nranks);
  const bool by_mpi = identity_.launcher == Launcher::mpi;
  StartGuard::Options options{
      .clock = clock_,
      .name = fmt::format("{} ({})", ranks_text(identity_.rank, identity_.ranks_per_process),
                          this_host().hostname),
      .timeout_s = run_.config.init_timeout_s(),
      .notes = !by_mpi || writes(),
      .silent = identity_.launcher == Launcher::nprocs && !writes(),
      .interrupted = run_.interrupted};
  if (writes())
    options.at_end = [this](ExitCode code, const std::string& sentence) {
      run_.outputs->end(run_.outputs->so_far(), code, sentence);
    };
  return options;
}

// From here on a signal is heard between the cases, and rank 0 says so.
void ProcessRunner::thread_is_set_up() {
  if (++threads_set_up_ < threads()) return;
  guard_.finish();
  if (writes() && run_.answer_interrupts) run_.answer_interrupts(true);
}

// Once more: with an MPI launcher that did not tell, only now the number of ranks is known.
void ProcessRunner::check_ranks() const {
  const auto& config = run_.config;
  const auto nranks = std::int64_t{fabric_.process().nranks()} * config.nthreads * config.ngpus;
  if (const auto refusal = refusal_for_ranks(config, nranks, run_.network.get()))
    throw Error(*refusal, ExitCode::usage);
}

int ProcessRunner::threads() const {
  const bool shared_thread = fabric_.backend->capabilities().ranks_share_thread;
  return run_.config.nthreads * (shared_thread ? 1 : run_.config.ngpus);
}

void ProcessRunner::run_thread(Bootstrap& member, const std::function<void()>& report) {
  const SessionInput input{.members = member,
                           .backend = *fabric_.backend,
                           .watch = *watch_,
                           .config = run_.config,
                           .clock = clock_,
                           .report = report,
                           .set_up = [this] { thread_is_set_up(); }};
  RunEvents events;
  RunInfo started;
  events.interrupted = run_.interrupted;
  if (member.rank() == 0) {
    events = run_.outputs->events(run_.interrupted);
    events.expecter = [this](const RunInfo& info) { return expecter(info); };
    events.cache_bytes = known_cache_bytes();
    started = describe_run(run_.config, run_.environment, identity_, *fabric_.backend);
    if (run_.network)
      started.emulated = fmt::format("{}, {}", run_.config.emulate_file, run_.network->words());
  }
  const bool pairs = run_.config.collective == nullptr;
  const auto totals =
      pairs ? run_p2p(input, started, events) : run_benchmark(input, started, events);
  if (member.rank() == 0) totals_ = totals;
}

// As `linerate topo --measure` found it.
std::size_t ProcessRunner::known_cache_bytes() const {
  if (!run_.config.expects || fabric_.backend->capabilities().device_memory) return 0;
  std::string complaint;
  const auto facts = find_facts(run_.environment, complaint);
  if (!complaint.empty()) say("note: " + complaint);
  return facts ? cache_end(facts->survey) : 0;
}

std::unique_ptr<Expecter> ProcessRunner::expecter(const RunInfo& info) {
  auto found = expecter_for(info, run_.environment);
  if (found) return std::move(found).value();
  unjudged_ = found.sentence();
  return nullptr;
}

ExitCode ProcessRunner::verdict(const RunTotals& totals) const {
  if (totals.interrupted) return ExitCode::interrupted;
  if (totals.failed_checks > 0) return ExitCode::failed;
  if (misses_average(totals)) return ExitCode::finding;
  return writes() ? judged_by_bound(run_.config, totals, unjudged_) : ExitCode::ok;
}

// NCCL_TESTS_MIN_BW
bool ProcessRunner::misses_average(const RunTotals& totals) const {
  const auto& wanted = run_.config.min_bw_gbps;
  return wanted && !fast_enough(totals.average_busbw_gbps(), *wanted);
}

// All processes leave with rank 0's code.
ExitCode ProcessRunner::finish(ExitCode exit_code) {
  WireWriter mine;
  mine.put(exit_code);
  auto& process = fabric_.process();
  const auto code = WireReader(process.broadcast(mine.bytes(), 0, init_deadline_)).get<ExitCode>();
  watch_->leave();
  process.barrier(init_deadline_);
  return code;
}

ExitCode ProcessRunner::run() {
  try {
    const ReportingBody body = [this](Bootstrap& member, const auto& report) {
      run_thread(member, report);
    };
    run_rank_threads(fabric_.process(), threads(), body,
                     [this](const std::string& sentence) { thread_failed(sentence); });
    const auto code = verdict(totals_);
    if (writes()) run_.outputs->end(totals_, code, remark(code));
    init_deadline_ = Deadline::after(clock_, run_.config.init_timeout_s());
    return finish(code);
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::exception& error) {  // no memory, a library's own
    return fail(Error(error.what()));
  }
}

// What the end of a run that did not fail says beside its numbers.
std::optional<std::string> ProcessRunner::remark(ExitCode code) const {
  if (code == ExitCode::interrupted && !run_.interrupted())
    say("interrupted by a signal that another rank heard");
  if (code == ExitCode::interrupted)
    return "interrupted by a signal: what follows the last row was not measured";
  if (code == ExitCode::finding && misses_average(totals_))
    say(fmt::format("NCCL_TESTS_MIN_BW={} GB/s is missed: the average bus bandwidth is {:.4g} GB/s",
                    *run_.config.min_bw_gbps, totals_.average_busbw_gbps()));
  return std::nullopt;
}

std::string ProcessRunner::own_name() const {
  return fmt::format("{} ({})", ranks_text(identity_.rank, identity_.ranks_per_process),
                     fabric_.process().place().hostname);
}

// Until the watch has asked all processes, and their answers have had a second.
void ProcessRunner::await_report() const {
  constexpr auto kPatience = std::chrono::milliseconds(2000);
  constexpr auto kStep = std::chrono::milliseconds(20);
  for (auto waited = kStep; waited < kPatience && !watch_->failure(); waited += kStep)
    std::this_thread::sleep_for(kStep);
}

// A deadline that passed here is but the echo of a rank that is missing, whom the watch knows.
void ProcessRunner::thread_failed(const std::string& sentence) {
  if (JobFailure::current().kind == JobFailure::Kind::timeout) await_report();
  watch_->fail(sentence);
}

// Where ranks were lost the watch names them; what this thread saw is only its echo.
std::string ProcessRunner::failure_sentence(const Error& error) const {
  if (error.exit_code() != ExitCode::lost) return fmt::format("{}: {}", own_name(), error.what());
  await_report();
  const auto report = watch_->failure();
  if (!report || report->sentences.empty()) return error.what();
  return fmt::format("{}", fmt::join(report->sentences, " "));
}

// Then the watch has said so, and this process' error is but the echo.
bool ProcessRunner::blames_others() const {
  const auto report = watch_->failure();
  const int own = identity_.rank * identity_.ranks_per_process;
  return report && std::ranges::find(report->ranks, own) == report->ranks.end();
}

ExitCode ProcessRunner::fail(const Error& error) {
  const auto sentence = failure_sentence(error);
  if (error.exit_code() != ExitCode::lost || !blames_others())
    say(fmt::format("{}: {}", own_name(), error.what()));
  if (writes()) run_.outputs->end(run_.outputs->so_far(), error.exit_code(), sentence);
  watch_->fail(error.what());
  // Ranks that wait inside MPI, if only for its end, hear nothing of this: the job ends for all.
  const bool waits_in_library = fabric_.mpi || !fabric_.backend->capabilities().abortable;
  if (!waits_in_library) return error.exit_code();
  if (!writes()) std::this_thread::sleep_for(kWritersTime);
  fabric_.process().abort(error.exit_code());
  return error.exit_code();
}

}  // namespace

namespace {

// Before there is a watch, MPI's own waits do not know who is missing.
Error with_stopped_ranks(const Error& error, const Identity& identity) {
  const bool asks = identity.launcher == Launcher::mpi && error.exit_code() == ExitCode::lost;
  const auto stopped = asks ? stopped_siblings() : std::string();
  if (stopped.empty()) return error;
  return Error(fmt::format("{}; {} stopped", error.what(), stopped), error.exit_code());
}

}  // namespace

ExitCode run_process(const ProcessRun& run, const Identity& identity) {
  if (run.answer_interrupts) run.answer_interrupts(false);
  try {
    return ProcessRunner(run, identity).run();
  } catch (const Error& error) {  // before the ranks had started
    const auto full = with_stopped_ranks(error, identity);
    if (run.outputs != nullptr && identity.rank == 0)
      run.outputs->end({}, full.exit_code(), full.what());
    throw Error(full);
  }
}

}  // namespace linerate
