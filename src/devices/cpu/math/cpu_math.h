// Math of the host: products by OpenBLAS, all else by kernels of this folder.
//
// cpu_math.cc puts work on streams, kernels.h lists what does it, a file for each kind of work.
// Everything runs on the thread that does the stream's work; OpenBLAS may use more.
#pragma once

#include "comm/math.h"

#include <cstddef>
#include <memory>
#include <span>

namespace linerate {

struct CpuMathOptions {
  int threads = 1;  // of OpenBLAS, for all of the process
  // Products by a loop of our own whose order of sums depends on k alone: for where
  // gemm_bits_are_stable() (gemm_bits.h) does not hold.
  bool fixed_blocks = false;
};

std::unique_ptr<Math> make_cpu_math(const CpuMathOptions& options = {});

}  // namespace linerate
