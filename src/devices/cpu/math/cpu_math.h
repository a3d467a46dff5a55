// Math of the host: products by OpenBLAS, all else by kernels of this folder.
//
// cpu_math.cc puts work on streams, kernels.h lists what does it, a file for each kind of work.
// Everything runs on the thread that does the stream's work; OpenBLAS may use more.
#pragma once

#include "comm/math.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace linerate {

struct CpuMathOptions {
  int threads = 1;  // of OpenBLAS, for all of the process
  // Products by a loop of our own whose order of sums depends on k alone: for where
  // gemm_bits_are_stable() does not hold.
  bool fixed_blocks = false;
};

std::unique_ptr<Math> make_cpu_math(const CpuMathOptions& options = {});

// Whether a product's bits depend on its elements alone: on that rest equal bits for any number of
// ranks. Each must have the same bits when its matrices begin elsewhere and have longer rows, and
// when it is computed in 2 and in `parts` parts of m, of n, and of both. Of a product only sizes,
// transpositions, accumulation and C's type are read. `gemm` computes one in the host's memory,
// done on return.
bool gemm_bits_are_stable(const std::function<void(const Gemm&)>& gemm,
                          std::span<const Gemm> products, std::size_t parts = 2);

}  // namespace linerate
