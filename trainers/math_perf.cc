// Times kernels of the device's Math: lines of "kind m n k" on stdin, microseconds on stdout.
#include "cli/help.h"
#include "commands/program.h"
#include "trainers/programs/math_times.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kMostThreads = 4096;

void print_help() {
  fmt::print(
      "usage:   math_perf THREADS\n"
      "example: echo product 512 512 512 | math_perf 2\n\n"
      "Times kernels of a training step, for linerate plan: reads lines of 'kind m n k' on stdin,\n"
      "and prints microseconds. THREADS compute at once.\n"
      "\nHelp\n  -h, --help                       print this text\n{}",
      linerate::exit_codes_text());
}

linerate::ExitCode run(int argc, char** argv) {
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (word == "-h" || word == "--help") {
    print_help();
    return linerate::ExitCode::ok;
  }
  const int threads = argc == 2 ? std::atoi(argv[1]) : 0;
  if (threads < 1 || threads > kMostThreads) {
    fmt::print(stderr,
               "math_perf: give the number of threads that compute at once; kernels are "
               "lines of 'kind m n k' on stdin.\n");
    return linerate::ExitCode::usage;
  }
  std::vector<linerate::plan::Kernel> kernels;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string kind;
    linerate::plan::Kernel kernel;
    const bool read = static_cast<bool>(words >> kind >> kernel.m >> kernel.n >> kernel.k);
    const auto named = linerate::plan::kernel_named(kind);
    if (!read || !named) {
      fmt::print(stderr, "math_perf: '{}' is no kernel.\n", line);
      return linerate::ExitCode::usage;
    }
    kernel.kind = *named;
    kernels.push_back(kernel);
  }
  for (const double us : linerate::math_times_us(kernels, threads)) fmt::print("{}\n", us);
  return linerate::ExitCode::ok;
}

}  // namespace

int main(int argc, char** argv) {
  return linerate::run_program([&] { return run(argc, argv); });
}
