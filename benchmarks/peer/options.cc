#include "benchmarks/peer/options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

namespace linerate::benchmarks {

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

}  // namespace linerate::benchmarks
