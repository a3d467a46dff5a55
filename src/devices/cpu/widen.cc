#include "devices/cpu/widen.h"

#include "base/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace linerate::cpu {
namespace {

template <typename T>
LINERATE_INLINE void widen_loop(float* dst, const void* src, std::size_t count) {
  const auto* in = static_cast<const Loose<typename T::Bits>*>(src);
  for (std::size_t i = 0; i < count; ++i) dst[i] = static_cast<float>(T::from_bits(in[i]));
}

template <typename T>
LINERATE_INLINE void narrow_loop(void* dst, const float* src, std::size_t count) {
  auto* out = static_cast<Loose<typename T::Bits>*>(dst);
  for (std::size_t i = 0; i < count; ++i) out[i] = T(src[i]).bits;
}

template <typename T>
void widen(float* dst, const void* src, std::size_t count) {
  widen_loop<T>(dst, src, count);
}
template <typename T>
void narrow(void* dst, const float* src, std::size_t count) {
  narrow_loop<T>(dst, src, count);
}

template <typename T>
LINERATE_AVX2 void widen_avx2(float* dst, const void* src, std::size_t count) {
  widen_loop<T>(dst, src, count);
}
template <typename T>
LINERATE_AVX2 void narrow_avx2(void* dst, const float* src, std::size_t count) {
  narrow_loop<T>(dst, src, count);
}

#if defined(__x86_64__)
constexpr std::size_t kLanes = 8;  // floats in an AVX register

template <>
LINERATE_AVX2 void widen_avx2<Half>(float* dst, const void* src, std::size_t count) {
  const auto* in = static_cast<const Loose<Half::Bits>*>(src);
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(half));
  }
  widen_loop<Half>(dst + whole, in + whole, count - whole);
}

template <>
LINERATE_AVX2 void narrow_avx2<Half>(void* dst, const float* src, std::size_t count) {
  auto* out = static_cast<Loose<Half::Bits>*>(dst);
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), half);
  }
  narrow_loop<Half>(out + whole, src + whole, count - whole);
}
#endif

}  // namespace

template <typename T>
Conversion<T> portable_conversion() {
  return {widen<T>, narrow<T>};
}

template <typename T>
Conversion<T> conversion() {
  return has_avx2() ? Conversion<T>{widen_avx2<T>, narrow_avx2<T>} : portable_conversion<T>();
}

template Conversion<Half> conversion();
template Conversion<BFloat16> conversion();
template Conversion<F8E4M3> conversion();
template Conversion<F8E5M2> conversion();
template Conversion<Half> portable_conversion();
template Conversion<BFloat16> portable_conversion();
template Conversion<F8E4M3> portable_conversion();
template Conversion<F8E5M2> portable_conversion();

}  // namespace linerate::cpu
