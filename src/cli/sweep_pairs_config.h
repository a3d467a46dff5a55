// What `linerate sweep pairs` was asked to do.
#pragma once

#include "base/result.h"
#include "job/config.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

struct SweepPairsConfig : JobConfig {
  std::size_t bytes = std::size_t{16} << 20;  // of a message
  std::uint64_t iters = 8;                    // messages each way
  int check = 1;
  std::size_t rounds = 8;
  double below = 0.95;                  // share of what others reach that is bad
  std::optional<std::uint64_t> seed{};  // nothing: a random one
  std::string hostfile{};               // to be printed without bad hosts; empty: none
  bool json = false;
  std::optional<bool> progress{};  // nothing: where stderr is a terminal
};

// The words behind `linerate sweep pairs`.
Result<SweepPairsConfig> parse_sweep_pairs(const std::vector<std::string>& words);

}  // namespace linerate
