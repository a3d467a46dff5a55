#include "devices/cpu/elementwise.h"

#include "base/simd.h"

#include <cstdint>
#include <type_traits>

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

}  // namespace linerate::cpu
