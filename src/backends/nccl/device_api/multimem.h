// Loads that add and stores that copy over all GPUs of a multicast address (PTX ISA 8.1, sm_90).
// For device code only.
#pragma once

#include <nccl.h>  // brings __half and __nv_bfloat16

#include <cstdint>
#include <type_traits>

namespace linerate::nccl {

// Whether multimem_sum<T>() takes a Unit of such elements.
template <typename T, typename Unit>
inline constexpr bool has_multimem_sum =
    std::is_same_v<T, Unit>
        ? (sizeof(T) >= 4)
        : std::is_same_v<T, float> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

// What all GPUs have at `at`, added up. GPUs before sm_90 never get here: NCCL gives them no
// multicast address.
template <typename T>
__device__ T multimem_sum(const T* at) {
  T sum{};
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<T, float>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];"
                 : "=f"(sum)
                 : "l"(at)
                 : "memory");
  else if constexpr (std::is_same_v<T, double>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f64 %0, [%1];"
                 : "=d"(sum)
                 : "l"(at)
                 : "memory");
  else if constexpr (sizeof(T) == 8)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u64 %0, [%1];"
                 : "=l"(sum)
                 : "l"(at)
                 : "memory");
  else
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];"
                 : "=r"(sum)
                 : "l"(at)
                 : "memory");
#else
  __trap();
#endif
  return sum;
}

// The same of 16 bytes of elements T; two bytes wide ones are added in float.
template <typename T>
__device__ uint4 multimem_sum(const uint4* at) {
  uint4 sum{};
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<T, float>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)
                 : "l"(at)
                 : "memory");
  else if constexpr (std::is_same_v<T, __half>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.f16x2 {%0,%1,%2,%3}, [%4];"
                 : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)
                 : "l"(at)
                 : "memory");
  else
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2 {%0,%1,%2,%3}, [%4];"
                 : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)
                 : "l"(at)
                 : "memory");
#else
  __trap();
#endif
  return sum;
}

// Writes `value` to `at` of all GPUs.
template <typename Unit>
__device__ void multimem_store(Unit* at, const Unit& value) {
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<Unit, uint4>)
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(at),
                 "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
  else if constexpr (std::is_same_v<Unit, float>)
    asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
  else if constexpr (std::is_same_v<Unit, double>)
    asm volatile("multimem.st.relaxed.sys.global.f64 [%0], %1;" ::"l"(at), "d"(value) : "memory");
  else if constexpr (sizeof(Unit) == 8)
    asm volatile("multimem.st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
  else
    asm volatile("multimem.st.relaxed.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
#else
  __trap();
#endif
}

}  // namespace linerate::nccl
