#include "devices/cpu/elementwise.h"

#include "base/simd.h"

#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace linerate::cpu {
namespace {

// The type in which arithmetic wraps around instead of being undefined.
template <typename T, bool = std::is_integral_v<T>>
struct Wrapping {
  using Type = T;
};
template <typename T>
struct Wrapping<T, true> {
  using Type = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
};

struct Sum {
  template <typename T>
  LINERATE_INLINE static T of(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
};
struct Prod {
  template <typename T>
  LINERATE_INLINE static T of(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};
struct Max {
  template <typename T>
  LINERATE_INLINE static T of(T a, T b) {
    return a > b ? a : b;
  }
};
struct Min {
  template <typename T>
  LINERATE_INLINE static T of(T a, T b) {
    return a < b ? a : b;
  }
};

template <typename T, typename Operation>
LINERATE_INLINE void combine_loop(void* dst, const void* a, const void* b, std::size_t count) {
  auto* out = static_cast<Loose<T>*>(dst);
  const auto* left = static_cast<const Loose<T>*>(a);
  const auto* right = static_cast<const Loose<T>*>(b);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) out[i] = Operation::template of<T>(left[i], right[i]);
}

template <typename T>
LINERATE_INLINE T factor_as(double factor) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(factor));
  else
    return static_cast<T>(factor);
}

template <typename T>
LINERATE_INLINE void scale_loop(void* dst, const void* a, double factor, std::size_t count) {
  auto* out = static_cast<Loose<T>*>(dst);
  const auto* in = static_cast<const Loose<T>*>(a);
  const T by = factor_as<T>(factor);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) out[i] = Prod::of<T>(in[i], by);
}

template <typename T>
LINERATE_INLINE void divide_loop(void* dst, const void* a, int divisor, std::size_t count) {
  // Wide enough for both the element and a divisor that a small integer type cannot hold.
  using Wide = std::conditional_t<
      std::is_floating_point_v<T>, T,
      std::conditional_t<sizeof(T) == 1, std::int32_t,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>;
  auto* out = static_cast<Loose<T>*>(dst);
  const auto* in = static_cast<const Loose<T>*>(a);
  const Wide by = static_cast<Wide>(divisor);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(static_cast<Wide>(in[i]) / by);
}

struct Baseline {
  template <typename T, typename Operation>
  static void combine(void* dst, const void* a, const void* b, std::size_t count) {
    combine_loop<T, Operation>(dst, a, b, count);
  }
  template <typename T>
  static void scale(void* dst, const void* a, double factor, std::size_t count) {
    scale_loop<T>(dst, a, factor, count);
  }
  template <typename T>
  static void divide(void* dst, const void* a, int divisor, std::size_t count) {
    divide_loop<T>(dst, a, divisor, count);
  }
};

struct Avx2 {
  template <typename T, typename Operation>
  LINERATE_AVX2 static void combine(void* dst, const void* a, const void* b, std::size_t count) {
    combine_loop<T, Operation>(dst, a, b, count);
  }
  template <typename T>
  LINERATE_AVX2 static void scale(void* dst, const void* a, double factor, std::size_t count) {
    scale_loop<T>(dst, a, factor, count);
  }
  template <typename T>
  LINERATE_AVX2 static void divide(void* dst, const void* a, int divisor, std::size_t count) {
    divide_loop<T>(dst, a, divisor, count);
  }
};

// Sums are what large payloads are made of; scaling and dividing gain nothing from wider registers.
struct Avx512 : Avx2 {
  template <typename T, typename Operation>
  LINERATE_AVX512 static void combine(void* dst, const void* a, const void* b, std::size_t count) {
    combine_loop<T, Operation>(dst, a, b, count);
  }
};

template <typename Isa, typename T>
auto combine_of(RedOp op) -> decltype(Elementwise<T>::combine) {
  switch (op) {
    case RedOp::sum:
    case RedOp::avg:
    case RedOp::mulsum:
      return Isa::template combine<T, Sum>;
    case RedOp::prod:
      return Isa::template combine<T, Prod>;
    case RedOp::max:
      return Isa::template combine<T, Max>;
    case RedOp::min:
      return Isa::template combine<T, Min>;
  }
  __builtin_unreachable();
}

template <typename Isa, typename T>
Elementwise<T> on(RedOp op) {
  return {combine_of<Isa, T>(op), Isa::template scale<T>, Isa::template divide<T>};
}

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
Elementwise<T> elementwise(RedOp op) {
  if (has_avx512()) return on<Avx512, T>(op);
  return has_avx2() ? on<Avx2, T>(op) : on<Baseline, T>(op);
}

template Elementwise<std::int8_t> elementwise(RedOp);
template Elementwise<std::uint8_t> elementwise(RedOp);
template Elementwise<std::int32_t> elementwise(RedOp);
template Elementwise<std::uint32_t> elementwise(RedOp);
template Elementwise<std::int64_t> elementwise(RedOp);
template Elementwise<std::uint64_t> elementwise(RedOp);
template Elementwise<float> elementwise(RedOp);
template Elementwise<double> elementwise(RedOp);

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
