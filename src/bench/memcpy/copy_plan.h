// A test on the GPUs at hand: which streams run together, and to which cells they belong.
#pragma once

#include "bench/memcpy/copy_tests.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

using CopyCell = std::pair<int, int>;  // row and column, as indices

// Streams that run at once. cell_of[s] is the cell that stream s adds to.
struct CopyMeasurement {
  std::vector<CopyStream> streams{};
  std::vector<CopyCell> cell_of{};
  bool symmetric = false;  // the cell stands for (column, row) as well
};

struct CopyPlan {
  const CopyTest* test = nullptr;
  std::vector<std::string> rows{}, columns{};
  std::vector<CopyMeasurement> measurements{};
  // Why cells, or all of them, are not measured: sentences.
  std::vector<std::string> remarks{};
};

// What a plan is made for.
struct CopyPlace {
  std::vector<int> gpus{};                // in the order of rows and columns
  std::function<bool(int, int)> reach{};  // CopyBench::reach_each_other
  int threads = 1;                        // of the host, for CopyEnds::threads
};

CopyPlan plan_of(const CopyTest& test, const CopyPlace& place);

// A size of copies that the memory holds, and where there is least of it.
struct CopyFit {
  std::size_t bytes = 0;       // of each buffer; 0: no buffer fits
  int bound_by = kHostEnd;     // the end with the least room, where `bytes` is not what was wanted
  std::size_t buffers = 0;     // there
  std::size_t free_bytes = 0;  // there
};

// The largest multiple of kCopyGrain, at most `wanted`, with which the buffers of every measurement
// fit into 90 % of what free_bytes(end) yields on GPUs, and half of it on the host: what is
// page-locked there cannot be swapped, and the system kills programs where memory runs out.
CopyFit fitting_bytes(std::span<const CopyPlan> plans, std::size_t wanted,
                      const std::function<std::size_t(int)>& free_bytes);

// What became of `wanted`: "-b 512 MiB does not fit: the host has …". REQUIRES: fit.bytes < wanted.
std::string fit_text(const CopyFit& fit, std::size_t wanted);

}  // namespace linerate
