// What `linerate tune nccl`, `mpi` or `gloo` was asked to do.
#pragma once

#include "base/result.h"
#include "sweep/study.h"
#include "tune/search.h"
#include "tune/settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

struct TuneLibraryConfig {
  tuning::Library library{};
  sweep::Study study{};  // collectives, sizes, one number of nodes and one of ranks, how runs start
  tuning::Effort effort{};
  std::vector<std::string> tried{};     // NAME=VALUE of --try
  env::Release nccl = env::kNewest;     // that the runs will load
  std::string folder{};                 // -o: of the files
  std::optional<std::uint64_t> seed{};  // of the order of runs; nothing: a random one
  double limit_s = 0;                   // of a run; 0: none
  bool dry_run = false;
  std::optional<bool> progress{};  // nothing: where stderr is a terminal
};

// The library that stands first among the words behind `linerate tune`; nothing: they name none, or
// the host backend before it.
std::optional<tuning::Library> library_to_tune(const std::vector<std::string>& words);
// Those words, library included. Values that are not given are the defaults of the rows, and the
// library's own way to start ranks.
Result<TuneLibraryConfig> parse_tune_library(const std::vector<std::string>& words);

}  // namespace linerate
