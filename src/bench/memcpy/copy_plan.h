// A test on the GPUs at hand: which streams run together, and to which cells they belong.
#pragma once

#include "bench/memcpy/copy_tests.h"

#include <functional>
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

}  // namespace linerate
