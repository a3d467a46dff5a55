// bench_peer: the ranks of one competitor, which stay alive and measure when the driver asks.
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/result.h"
#include "benchmarks/peer/rank_server.h"
#include "job/job.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace linerate::benchmarks {
namespace {

// Strict: the first wrong word is one sentence.
Result<Options> parse_options(std::span<const char* const> argv) {
  Options options;
  CLI::App app("bench_peer: a communicator that measures on request; started by make bench");
  app.add_option("--backend", options.backend)->required();
  app.add_option("--socket", options.socket)->required();
  app.add_option("--nprocs", options.nprocs)->check(CLI::NonNegativeNumber);
  app.add_option("--nthreads", options.nthreads)->check(CLI::PositiveNumber);
  app.add_option("--buffer-bytes", options.buffer_bytes)->check(CLI::PositiveNumber);
  app.add_flag("--private-buffers", options.private_buffers);
  std::vector<std::string> words(argv.begin() + 1, argv.end());
  std::ranges::reverse(words);  // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return Failure{error.what()};
  }
  return options;
}

// Without a timeout of its own: the driver ends a start that lasts too long, and idle ranks wait.
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
