// bench_peer: the ranks of one competitor, which stay alive and measure when the driver asks.
#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "benchmarks/peer/options.h"
#include "benchmarks/peer/rank_server.h"
#include "commands/fabric.h"
#include "launch/identity.h"
#include "launch/local_fork.h"
#include "launch/threads/rank_threads.h"
#include "launch/watch/watch.h"

#include <exception>
#include <span>

namespace linerate::benchmarks {
namespace {

constexpr double kStartS = 60;  // for the others to start, and to end

// Ranks that wait inside a library hear nothing of a failure: the job ends for all.
ExitCode fail(const Fabric& fabric, const Error& error) {
  say(error.what());
  fabric.process().abort(error.exit_code());
  return error.exit_code();
}

RunConfig config_of(const Options& options) {
  RunConfig config;
  config.nthreads = options.nthreads;
  config.nprocs = options.nprocs;
  config.backend = options.backend;
  return config;
}

ExitCode run_process(const Options& options, const Environment& environment,
                     const Identity& identity) {
  const SteadyClock clock;
  const RunConfig config = config_of(options);
  const auto deadline = Deadline::after(clock, kStartS);
  const Fabric fabric =
      open_fabric({.config = config, .environment = environment, .interrupted = {}}, identity,
                  {.clock = clock, .deadline = deadline});
  try {
    const auto watch =
        Watch::start(fabric.process(), {.nthreads = options.nthreads, .deadline = deadline});
    const auto body = [&](Bootstrap& member) {
      RankServer({.members = member,
                  .backend = *fabric.backend,
                  .watch = *watch,
                  .config = config,
                  .clock = clock},
                 options)
          .serve();
    };
    run_rank_threads(fabric.process(), options.nthreads, body,
                     [&](const std::string& sentence) { watch->fail(sentence); });
    watch->leave();
    fabric.process().barrier(Deadline::after(clock, kStartS));
    return ExitCode::ok;
  } catch (const Error& error) {
    return fail(fabric, error);
  } catch (const std::exception& error) {
    return fail(fabric, Error(error.what()));
  }
}

ExitCode run(std::span<const char* const> argv) {
  const auto options = parse_options(argv);
  if (!options) throw Error(options.sentence(), ExitCode::usage);
  const auto environment = Environment::of_process();
  const auto identity = detect_identity(environment, options->nprocs);
  if (!identity) throw Error(identity.sentence(), ExitCode::usage);
  if (identity->launcher != Launcher::nprocs) return run_process(*options, environment, *identity);
  return fork_processes(
      options->nprocs,
      [&](const Identity& child) { return run_process(*options, environment, child); },
      {.ranks_per_process = options->nthreads});
}

}  // namespace

int run_and_say(std::span<const char* const> argv) {
  try {
    return static_cast<int>(run(argv));
  } catch (const Error& error) {
    say(error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    say(error.what());
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace linerate::benchmarks

int main(int argc, char** argv) {
  return linerate::benchmarks::run_and_say({argv, static_cast<std::size_t>(argc)});
}
