// Every collective step is taken by all processes in one order, failures included.
#include "job/job.h"

#include "base/error.h"
#include "base/log.h"
#include "launch/job_failure.h"
#include "launch/place.h"
#include "launch/threads/rank_threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace linerate {
namespace {

// For rank 0 to end its files: its watch notices after a while that it hangs in the library.
constexpr std::chrono::duration<double> kWritersTime{1 + Watch::kGraceS + Watch::kMaxLastRecordsS};

const BackendRow& row_of(std::string_view name) {
  const auto row = find_backend(name);
  if (!row) throw Error(row.sentence(), ExitCode::usage);
  return **row;
}

// A GPU that nobody asked for and that cannot be used is told, and what runs without it.
OpenedBackend open_chosen(const BackendRow& row, const JobConfig& config,
                          const BackendInput& input) {
  constexpr std::string_view kWithout = "--backend host";
  if (config.backend != "auto" || row.name != "nccl") return open_backend(row, input);
  try {
    return open_backend(row, input);
  } catch (const Unavailable& missing) {
    const std::string reason = missing.what();
    const bool offered = reason.find(kWithout) != std::string::npos;
    throw Unavailable(fmt::format(
        "There is an NVIDIA GPU, which --backend auto takes, but it cannot be used. {}{}", reason,
        offered ? "" : fmt::format(" {} measures the host's memory instead.", kWithout)));
  }
}

// What no job may have different in its processes, behind the caller's own settings, which say it
// in the words of the command line.
std::vector<Setting> settings_of_job(const JobSetup& setup) {
  const JobConfig& config = setup.config;
  const auto text = [](const std::string& value) { return fmt::format("\"{}\"", value); };
  std::vector<Setting> shared(setup.settings.begin(), setup.settings.end());
  shared.push_back({"nthreads", fmt::to_string(config.nthreads)});
  shared.push_back({"ngpus", fmt::to_string(config.ngpus)});
  shared.push_back({"backend", text(config.backend)});
  shared.push_back({"emulate_file", text(config.emulate_file)});
  shared.push_back({"fake", text(config.fake)});
  return shared;
}

std::shared_ptr<const host::Network> emulated_network(const JobConfig& config) {
  auto network = network_of(config);
  if (!network) throw Error(network.sentence(), ExitCode::usage);
  return *std::move(network);
}

// What this process brings to the start.
struct StartFacts {
  bool observes = false;
  bool gpus = false;
};

// What `call` throws; nothing where it returns. Of libraries' own exceptions and of a lack of
// memory too.
template <typename Call>
std::optional<Error> error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(error.what());
  }
  return std::nullopt;
}

}  // namespace

Job::Job(const JobSetup& setup, const Identity& identity)
    : setup_(setup),
      config_(setup.config),
      identity_(identity),
      guard_(guard_options()),
      init_deadline_(Deadline::after(guard_.clock(), setup.config.init_timeout_s())) {
  processes_ =
      join_processes(identity, setup.environment, {clock_, init_deadline_, &guard_.waiting_for()});
  compare_settings(processes_.all(), settings_of_job(setup), init_deadline_);
  open_backend_of(agree_on_backend());
}

Job::~Job() = default;

// Until all threads are set up the guard answers signals.
StartGuard::Options Job::guard_options() {
  if (setup_.answer_interrupts) setup_.answer_interrupts(false);
  need_descriptors(identity_.nranks);
  StartGuard::Options options{
      .clock = clock_,
      .name = fmt::format("{} ({})", ranks_text(identity_.rank, identity_.ranks_per_process),
                          this_host().hostname),
      .timeout_s = config_.init_timeout_s(),
      .notes = identity_.launcher != Launcher::mpi || has_rank_0(),
      .silent = identity_.launcher == Launcher::nprocs && !has_rank_0(),
      .interrupted = setup_.interrupted};
  if (has_rank_0()) options.at_end = setup_.at_end;
  return options;
}

// From here on a signal is heard by the body, and rank 0 says so.
void Job::thread_is_set_up() {
  if (++threads_set_up_ < threads()) return;
  guard_.finish();
  if (has_rank_0() && setup_.answer_interrupts) setup_.answer_interrupts(true);
}

std::int64_t Job::nranks() const {
  return std::int64_t{processes_.all().nranks()} * config_.ranks_per_process();
}

// All processes choose alike, also where only some hosts have GPUs.
BackendChoice Job::agree_on_backend() {
  auto& process = processes_.all();
  const StartFacts here{.observes = setup_.observes,
                        .gpus = auto_takes_gpus(config_, setup_.environment)};
  const auto all = all_values(process, here, init_deadline_);
  observes_ = all.front().observes;
  return choose_backend(config_, {.launcher = identity_.launcher,
                                  .nnodes = process.place().nnodes,
                                  .gpus = std::ranges::any_of(all, &StartFacts::gpus)});
}

void Job::open_backend_of(const BackendChoice& choice) {
  if (has_rank_0() && config_.backend == "auto")
    say(fmt::format("note: backend {}, because {}", choice.name, choice.reason));
  if (choice.name == "mpi" && !processes_.mpi)
    throw Unavailable(
        "--backend mpi needs an MPI launcher: start it with mpirun or srun --mpi=pmix.");
  const auto failure = error_of([&] {
    backend_ = open_chosen(row_of(choice.name), config_,
                           {.clock = clock_,
                            .environment = setup_.environment,
                            .fake = *parse_fake_options(config_.fake),
                            .network = emulated_network(config_),
                            .library = config_.nccl_library,
                            .gpu = config_.gpu,
                            .ranks_stay = true,  // they do what the job does, and nothing else
                            .observes = observes_,
                            .session = processes_.mpi.get()});
  });
  agree_that_all_opened(processes_.all(), identity_, failure, init_deadline_);
}

int Job::threads() const {
  return config_.ranks_per_process() / config_.ranks_per_thread(backend_->capabilities());
}

void Job::run_threads(const RankBody& body) {
  const auto on_thread = [&](Bootstrap& bootstrap, const std::function<void()>& report) {
    RankContext rank({.bootstrap = bootstrap,
                      .backend = *backend_,
                      .watch = *watch_,
                      .config = config_,
                      .clock = clock_,
                      .start_clock = guard_.clock(),
                      .interrupted = setup_.interrupted});
    try {
      thread_is_set_up();
      const auto code = body(rank);
      rank.close();
      if (rank.is_first()) code_of_rank_0_ = code;
    } catch (...) {
      report();  // while all that calls of other ranks may use still lives
      throw;
    }
  };
  run_rank_threads(processes_.all(), threads(), ReportingBody(on_thread),
                   [this](const std::string& sentence) { thread_failed(sentence); });
}

Watch::Options Job::watch_options() {
  Watch::Options options{.timeout_s = config_.timeout_s,
                         .nthreads = threads(),
                         .ranks_per_thread = config_.ranks_per_thread(backend_->capabilities()),
                         .deadline = init_deadline_,
                         .hang_report = [this] { return backend_->hang_report(); }};
  if (has_rank_0() && setup_.at_end)
    options.at_end = [this](const std::string& why) { setup_.at_end(ExitCode::lost, why); };
  return options;
}

JobOutcome Job::run(const RankBody& body) {
  watch_ = Watch::start(processes_.all(), watch_options());
  guard_.watched();
  const auto error = error_of([&] { run_threads(body); });
  return error ? failed(*error) : JobOutcome{.code = code_of_rank_0_};
}

JobOutcome Job::failed(const Error& error) {
  const auto sentence = failure_sentence(error);
  if (const auto report = watch_->failure(); report && setup_.at_loss)
    setup_.at_loss(report->ranks);
  if (error.exit_code() != ExitCode::lost || !blames_others())
    say(fmt::format("{}: {}", own_name(), error.what()));
  return {.code = error.exit_code(), .failure = sentence, .cause = error.what()};
}

ExitCode Job::leave(const JobOutcome& outcome) {
  if (outcome.failure) return end_others(outcome);
  auto code = outcome.code;
  const auto error = error_of([&] { code = end_together(code); });
  return error ? end_others(failed(*error)) : code;
}

// All processes leave with rank 0's code.
ExitCode Job::end_together(ExitCode code) {
  const auto deadline = Deadline::after(clock_, config_.init_timeout_s());
  auto& process = processes_.all();
  const auto agreed = value_of_rank_0(process, code, deadline);
  watch_->leave();
  process.barrier(deadline);
  return agreed;
}

// Ranks that wait inside MPI, if only for its end, hear nothing of this: the job ends for all.
ExitCode Job::end_others(const JobOutcome& outcome) {
  watch_->fail(outcome.cause);
  const bool waits_in_library = processes_.mpi || !backend_->capabilities().abortable;
  if (!waits_in_library) return outcome.code;
  if (!has_rank_0()) std::this_thread::sleep_for(kWritersTime);
  processes_.all().abort(outcome.code);
  return outcome.code;
}

std::string Job::own_name() const {
  return fmt::format("{} ({})", ranks_text(identity_.rank, identity_.ranks_per_process),
                     processes_.all().place().hostname);
}

void Job::await_report(std::chrono::milliseconds at_most) const {
  constexpr auto kStep = std::chrono::milliseconds(20);
  for (auto waited = kStep; waited < at_most && !watch_->failure(); waited += kStep)
    std::this_thread::sleep_for(kStep);
}

// What is but the echo of a failure elsewhere waits for the report of the watch, which knows the
// cause: 2 s until it has asked all processes whom a deadline misses or who aborted; 0.5 s where a
// connection broke, which the watch hears of at the same time.
void Job::thread_failed(const std::string& sentence) {
  using Kind = JobFailure::Kind;
  using std::chrono_literals::operator""ms;
  const auto kind = JobFailure::current().kind;
  if (kind == Kind::timeout || kind == Kind::aborted) await_report(2000ms);
  if (kind == Kind::peer) await_report(500ms);
  watch_->fail(sentence);
}

// Where ranks were lost the watch names them; what this thread saw is only its echo.
std::string Job::failure_sentence(const Error& error) const {
  if (error.exit_code() != ExitCode::lost) return fmt::format("{}: {}", own_name(), error.what());
  await_report(std::chrono::milliseconds(2000));
  const auto report = watch_->failure();
  if (!report || report->sentences.empty()) return error.what();
  return fmt::format("{}", fmt::join(report->sentences, " "));
}

// Then the watch has said so, and this process' error is but the echo.
bool Job::blames_others() const {
  const auto report = watch_->failure();
  const int own = identity_.rank * identity_.ranks_per_process;
  return report && std::ranges::find(report->ranks, own) == report->ranks.end();
}

ExitCode run_process(const JobSetup& setup, const Identity& identity, const RankBody& body) {
  try {
    Job job(setup, identity);
    return job.leave(job.run(body));
  } catch (const Error& error) {  // before the ranks had started
    throw Error(with_stopped_ranks(error, identity));
  }
}

ExitCode run_job(const JobSetup& setup, const RankBody& body) {
  try {
    const auto identity = identify(setup.config, setup.environment);
    if (!identity) throw Error(identity.sentence(), ExitCode::usage);
    const bool gpus = auto_takes_gpus(setup.config, setup.environment);
    const ChoiceFacts facts{.launcher = identity->launcher, .gpus = gpus};
    if (const auto refusal = backend_refusal(setup.config, facts))
      throw Error(*refusal, ExitCode::usage);
    return in_each_process(*identity, setup.config,
                           [&](const Identity& own) { return run_process(setup, own, body); });
  } catch (const Error& error) {
    say(error.what());
    return error.exit_code();
  }
}

}  // namespace linerate
