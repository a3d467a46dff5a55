// Whether a product's bits depend on anything but its elements: what equal bits for any number of
// ranks rest on.
#pragma once

#include "comm/math.h"

#include <functional>
#include <span>

namespace linerate {

// Whether each product has the same bits when its matrices begin elsewhere and have longer rows,
// and when it is computed as two halves of m, and of n. Of a product only sizes, transpositions,
// accumulation and C's type are read. `gemm` computes one in the host's memory, done on return.
bool gemm_bits_are_stable(const std::function<void(const Gemm&)>& gemm,
                          std::span<const Gemm> products);

}  // namespace linerate
