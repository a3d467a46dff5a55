// See widen.h.
#include "devices/cpu/widen.h"

#include "base/simd.h"

#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace linerate::cpu {
namespace {

// The layout of a SmallFloat, taken from its template arguments.
template <typename T>
struct Layout;
template <typename BitsType, int kE, int kM, bool kInf>
struct Layout<SmallFloat<BitsType, kE, kM, kInf>> {
  using Bits = BitsType;
  using Loose [[gnu::aligned(1), gnu::may_alias]] = Bits;
  static constexpr int kMantissaBits = kM;
  static constexpr int kDropped = 23 - kM;  // mantissa bits that a float has beyond this type
  static constexpr int kSign = kE + kM;
  static constexpr int kBias = (1 << (kE - 1)) - 1;
  static constexpr std::uint32_t kMagnitude = (1u << kSign) - 1;  // also a NaN
  static constexpr std::uint32_t kLargest = kInf ? (((1u << kE) - 1) << kM) - 1 : kMagnitude - 1;
  static constexpr std::uint32_t kOverflow = kInf ? kLargest + 1 : kLargest;
  static constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - kBias);
  // 2^k with one unit in the last place equal to this type's smallest subnormal.
  static constexpr std::uint32_t kSubnormalUnit =
      static_cast<std::uint32_t>(127 + 1 - kBias - kM + 23) << 23;
};

// All three cases are computed and one is selected, so that the loop vectorises.
template <typename L>
LINERATE_INLINE float widened(std::uint32_t bits) {
  const std::uint32_t sign = bits >> L::kSign << 31;
  const std::uint32_t magnitude = bits & L::kMagnitude;
  const std::uint32_t shifted = magnitude << L::kDropped;
  const std::uint32_t normal = shifted + (L::kRebias << 23);
  const std::uint32_t special = shifted | 0x7f800000u;
  constexpr auto kUnit = static_cast<std::uint32_t>(127 + 1 - L::kBias - L::kMantissaBits);
  const float tiny =
      static_cast<float>(static_cast<std::int32_t>(magnitude)) * std::bit_cast<float>(kUnit << 23);
  const std::uint32_t finite =
      magnitude >> L::kMantissaBits == 0 ? std::bit_cast<std::uint32_t>(tiny) : normal;
  return std::bit_cast<float>(sign | (magnitude > L::kLargest ? special : finite));
}

template <typename L>
LINERATE_INLINE std::uint32_t narrowed(float value) {
  const std::uint32_t raw = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = raw >> 31 << L::kSign;
  const std::uint32_t magnitude = raw & 0x7fffffffu;
  const std::uint32_t odd = magnitude >> L::kDropped & 1u;
  const std::uint32_t normal = ((magnitude + (1u << (L::kDropped - 1)) - 1 + odd) >> L::kDropped) -
                               (L::kRebias << L::kMantissaBits);
  // The float addition rounds to nearest even at the smallest subnormal.
  const std::uint32_t tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) +
                                                          std::bit_cast<float>(L::kSubnormalUnit)) -
                             L::kSubnormalUnit;
  const std::uint32_t finite = magnitude < ((L::kRebias + 1) << 23) ? tiny : normal;
  const std::uint32_t clamped = finite > L::kOverflow ? L::kOverflow : finite;
  return sign | (magnitude > 0x7f800000u ? L::kMagnitude : clamped);
}

// bfloat16 is the upper half of a float: no exponent to change, subnormals included.
template <>
LINERATE_INLINE float widened<Layout<BFloat16>>(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}
template <>
LINERATE_INLINE std::uint32_t narrowed<Layout<BFloat16>>(float value) {
  const std::uint32_t raw = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (raw + 0x7fffu + (raw >> 16 & 1u)) >> 16;
  return (raw & 0x7fffffffu) > 0x7f800000u ? (raw >> 16 | 0x7fffu) : rounded;
}

template <typename T>
LINERATE_INLINE void widen_loop(float* dst, const void* src, std::size_t count) {
  using L = Layout<T>;
  const auto* in = static_cast<const typename L::Loose*>(src);
  for (std::size_t i = 0; i < count; ++i) dst[i] = widened<L>(in[i]);
}

template <typename T>
LINERATE_INLINE void narrow_loop(void* dst, const float* src, std::size_t count) {
  using L = Layout<T>;
  auto* out = static_cast<typename L::Loose*>(dst);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<typename L::Bits>(narrowed<L>(src[i]));
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
  const auto* in = static_cast<const Layout<Half>::Loose*>(src);
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(half));
  }
  widen_loop<Half>(dst + whole, in + whole, count - whole);
}

template <>
LINERATE_AVX2 void narrow_avx2<Half>(void* dst, const float* src, std::size_t count) {
  auto* out = static_cast<Layout<Half>::Loose*>(dst);
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
