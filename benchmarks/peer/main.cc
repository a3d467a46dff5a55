// bench_peer: the ranks of one competitor, which stay alive and measure when the driver asks.
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "benchmarks/peer/options.h"
#include "benchmarks/peer/rank_server.h"
#include "job/job.h"

#include <exception>
#include <span>

namespace linerate::benchmarks {
namespace {

BenchConfig config_of(const Options& options) {
  BenchConfig config;
  config.nthreads = options.nthreads;
  config.nprocs = options.nprocs;
  config.backend = options.backend;
  return config;
}

ExitCode run(std::span<const char* const> argv) {
  const auto options = parse_options(argv);
  if (!options) throw Error(options.sentence(), ExitCode::usage);
  const auto environment = Environment::of_process();
  const auto config = config_of(*options);
  return run_job({.config = config, .environment = environment}, [&](RankContext& rank) {
    RankServer(rank, config, *options).serve();
    return ExitCode::ok;
  });
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
