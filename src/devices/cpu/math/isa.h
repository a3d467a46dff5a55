// The instruction sets that kernels are compiled for, and the choice of one at run time.
//
// A kernel is written once, as a lambda that takes its instruction set and is LINERATE_KERNEL; all
// that it calls is LINERATE_INLINE (base/simd.h):
//
//   vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL { … Simd<float, Isa> … });
#pragma once

#include "base/simd.h"

#include <cstddef>

#define LINERATE_KERNEL __attribute__((always_inline))

#if defined(__x86_64__)
#define LINERATE_FMA_AVX2 __attribute__((target("avx2,fma,f16c")))
#define LINERATE_FMA_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c" LINERATE_512_BITS)))
#else
#define LINERATE_FMA_AVX2
#define LINERATE_FMA_AVX512
#endif

namespace linerate::cpu {

// Bytes of a register, and how many rows of a product their number allows to sum at once.
struct Baseline {
  static constexpr std::size_t kBytes = 16, kRows = 4;
};
struct Avx2 {
  static constexpr std::size_t kBytes = 32, kRows = 4;
};
struct Avx512 {
  static constexpr std::size_t kBytes = 64, kRows = 8;
};

inline bool has_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

template <typename Kernel>
LINERATE_FMA_AVX512 void run_on_avx512(const Kernel& kernel) {
  kernel(Avx512{});
}

template <typename Kernel>
LINERATE_FMA_AVX2 void run_on_avx2(const Kernel& kernel) {
  kernel(Avx2{});
}

// Runs `kernel` compiled for the best instruction set here.
template <typename Kernel>
void vectorised(const Kernel& kernel) {
  if (has_avx512() && has_fma()) return run_on_avx512(kernel);
  if (has_avx2() && has_fma()) return run_on_avx2(kernel);
  kernel(Baseline{});
}

}  // namespace linerate::cpu
