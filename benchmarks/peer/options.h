// What a competitor's job is told on its command line; the same in all its processes.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <span>
#include <string>

namespace linerate::benchmarks {

struct Options {
  std::string backend;                              // a row of the backend table
  std::string socket;                               // where the driver listens
  int nprocs = 0;                                   // processes to fork; 0: a launcher started us
  int nthreads = 1;                                 // ranks of each process
  std::size_t buffer_bytes = std::size_t{1} << 20;  // of each of a rank's two buffers
  bool private_buffers = false;  // ordinary memory instead of what the backend hands out
};

// Strict: the first wrong word is one sentence.
Result<Options> parse_options(std::span<const char* const> argv);

}  // namespace linerate::benchmarks
