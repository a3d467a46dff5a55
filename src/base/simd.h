// Function multiversioning: the same loop compiled for the baseline and for AVX2, chosen at run
// time.
#pragma once

// A loop body is written once as LINERATE_INLINE and called by two functions, one of them
// LINERATE_AVX2; it is vectorised for the instruction set of the function that it was inlined into.
#define LINERATE_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__)
#define LINERATE_AVX2 __attribute__((target("avx2,f16c")))
#else
#define LINERATE_AVX2
#endif

namespace linerate {

// An element at any address, of an array whose declared type is not known.
template <typename T>
using Loose __attribute__((aligned(1), may_alias)) = T;

// Whether functions marked LINERATE_AVX2 may run here.
inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
#else
  return false;
#endif
}

}  // namespace linerate
