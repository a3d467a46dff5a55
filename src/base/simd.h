// Function multiversioning: the same loop compiled for the baseline, AVX2 and AVX-512, chosen at
// run time.
#pragma once

// A loop body is written once as LINERATE_INLINE and called by functions of which
// some are LINERATE_AVX2 or LINERATE_AVX512; it is vectorised for the instruction set of the
// function that it was inlined into.
#define LINERATE_INLINE [[gnu::always_inline]] inline

// clang has no name for it, and would ignore the whole attribute.
#if defined(__clang__)
#define LINERATE_512_BITS ""
#else
#define LINERATE_512_BITS ",prefer-vector-width=512"
#endif

#if defined(__x86_64__)
#define LINERATE_AVX2 __attribute__((target("avx2,f16c")))
#define LINERATE_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c" LINERATE_512_BITS)))
#else
#define LINERATE_AVX2
#define LINERATE_AVX512
#endif

namespace linerate {

template <typename T>
struct LooseElement {  // clang drops the attributes of an alias template
  using Type __attribute__((aligned(1), may_alias)) = T;
};
// An element at any address, of an array whose declared type is not known.
template <typename T>
using Loose = typename LooseElement<T>::Type;

// Whether functions marked LINERATE_AVX2 may run here.
inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
#else
  return false;
#endif
}

// Whether functions marked LINERATE_AVX512 may run here.
inline bool has_avx512() {
#if defined(__x86_64__)
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

}  // namespace linerate
