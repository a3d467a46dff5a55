// Vectors of float or double that fill a register: loads that widen, stores that round, exp, sums.
//
// Lanes are added in one fixed order, and what is left of an array at its end goes through the same
// instructions as the rest, so a result depends neither on alignment nor on where an array is cut.
#pragma once

#include "comm/float_types.h"
#include "devices/cpu/math/isa.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>

namespace linerate::cpu {

// Constants of exp(x) = 2^n exp(r), |r| <= ln(2) / 2. kLn2High has so few bits that n times it is
// exact; 2^n is a normal number between kLeast and kMost.
template <typename W>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  using Integer = std::int32_t;
  static constexpr float kLn2High = 355.0f / 512, kLeast = -87.3f, kMost = 88.3f;
  static constexpr int kMantissaBits = 23, kDegree = 7;
};
template <>
struct ExpConstants<double> {
  using Integer = std::int64_t;
  static constexpr double kLn2High = std::numbers::ln2_v<float>, kLeast = -708.3, kMost = 709.4;
  static constexpr int kMantissaBits = 52, kDegree = 13;
};

template <typename W, typename Isa>
struct Simd {
  using Integer = typename ExpConstants<W>::Integer;
  using V __attribute__((vector_size(Isa::kBytes))) = W;
  using I __attribute__((vector_size(Isa::kBytes))) = Integer;
  static constexpr std::size_t kLanes = Isa::kBytes / sizeof(W);

  LINERATE_INLINE static V splat(W value) { return value - V{}; }

  // From kLanes elements of any type.
  template <typename T>
  LINERATE_INLINE static V load(const T* from) {
    if constexpr (std::is_same_v<T, W>) {
      V value{};
      std::memcpy(&value, from, sizeof(V));
      return value;
    } else if constexpr (kVectorConversion<T>) {
      Short bits;
      std::memcpy(&bits, from, sizeof(Short));
      return widened_bits<T>(__builtin_convertvector(bits, U));
    } else {
      V value{};
      for (std::size_t l = 0; l < kLanes; ++l) value[l] = widened(from[l]);
      return value;
    }
  }
  // From `count` <= kLanes elements; the other lanes are 0.
  template <typename T>
  LINERATE_INLINE static V load(const T* from, std::size_t count) {
    if (count == kLanes) return load(from);
    std::array<T, kLanes> all{};
    std::memcpy(all.data(), from, count * sizeof(T));
    return load(all.data());
  }

  template <typename T>
  LINERATE_INLINE static void store(T* to, V value) {
    if constexpr (std::is_same_v<T, W>) {
      std::memcpy(to, &value, sizeof(V));
    } else if constexpr (kVectorConversion<T>) {
      const Short bits = __builtin_convertvector(narrowed_bits<T>(value), Short);
      std::memcpy(static_cast<void*>(to), &bits, sizeof(Short));
    } else {
      for (std::size_t l = 0; l < kLanes; ++l) to[l] = narrowed<T>(value[l]);
    }
  }
  template <typename T>
  LINERATE_INLINE static void store(T* to, V value, std::size_t count) {
    if (count == kLanes) return store(to, value);
    std::array<T, kLanes> all;
    store(all.data(), value);
    std::memcpy(static_cast<void*>(to), all.data(), count * sizeof(T));
  }

  // `value` in the first `count` lanes, 0 in the others.
  LINERATE_INLINE static V first_lanes(V value, std::size_t count) {
    return count == kLanes ? value : (lane_numbers() < static_cast<Integer>(count) ? value : V{});
  }
  LINERATE_INLINE static I lane_numbers() {
    I numbers{};
    for (std::size_t l = 0; l < kLanes; ++l) numbers[l] = static_cast<Integer>(l);
    return numbers;
  }

  LINERATE_INLINE static V max(V a, V b) { return a > b ? a : b; }
  LINERATE_INLINE static V sqrt(V value) {
    V root{};
    for (std::size_t l = 0; l < kLanes; ++l) {
      if constexpr (std::is_same_v<W, float>)
        root[l] = __builtin_sqrtf(value[l]);
      else
        root[l] = __builtin_sqrt(value[l]);
    }
    return root;
  }

  // Within 2 units in the last place between kLeast and kMost; 0 below, infinity above.
  LINERATE_INLINE static V exp(V x) {
    using C = ExpConstants<W>;
    constexpr W kLn2Low = static_cast<W>(std::numbers::ln2_v<long double> - C::kLn2High);
    // Adding it rounds to an integer, which its lowest bits then hold.
    constexpr W kShift = static_cast<W>(3ull << (C::kMantissaBits - 1));
    constexpr std::make_unsigned_t<Integer> kBias = std::numeric_limits<W>::max_exponent - 1;
    const V shifted = x * std::numbers::log2e_v<W> + kShift;
    const V n = shifted - kShift;
    const V r = (x - n * C::kLn2High) - n * kLn2Low;
    const V power = reinterpret_cast<V>((reinterpret_cast<U>(shifted) << C::kMantissaBits) +
                                        (kBias << C::kMantissaBits));
    const V value = series(r) * power;
    const V low = x < C::kLeast ? V{} : value;
    return x > C::kMost ? splat(std::numeric_limits<W>::infinity()) : low;
  }

  LINERATE_INLINE static W sum(V value) {
    return folded(value, [](W a, W b) LINERATE_KERNEL { return a + b; });
  }
  LINERATE_INLINE static W largest(V value) {
    return folded(value, [](W a, W b) LINERATE_KERNEL { return a > b ? a : b; });
  }

 private:
  using U __attribute__((vector_size(Isa::kBytes))) = std::make_unsigned_t<Integer>;
  using Short __attribute__((vector_size(kLanes * 2))) = std::uint16_t;

  // What comm/float_types.h does with one element, on all lanes.
  template <typename T>
  static constexpr bool kVectorConversion = std::is_same_v<W, float> &&
                                            (std::is_same_v<T, BFloat16> ||
                                             std::is_same_v<T, Half>);
  static constexpr std::uint32_t kInfinityBits = 0x7f800000u;
  static constexpr std::uint32_t kRebias = (127 - 15) << 23;  // of exponents, float's to Half's

  template <typename T>
  LINERATE_INLINE static V widened_bits(U raw) {
    if constexpr (std::is_same_v<T, BFloat16>) return reinterpret_cast<V>(raw << 16);
    const U magnitude = raw & 0x7fffu, shifted = magnitude << 13;
    const V tiny = __builtin_convertvector(reinterpret_cast<I>(magnitude), V) * 0x1p-24f;
    const U finite = magnitude < 0x400u ? reinterpret_cast<U>(tiny) : shifted + kRebias;
    const U wide = magnitude > 0x7bffu ? shifted | kInfinityBits : finite;
    return reinterpret_cast<V>((raw >> 15 << 31) | wide);
  }
  // To nearest even; what is too large becomes infinity.
  template <typename T>
  LINERATE_INLINE static U narrowed_bits(V value) {
    const U raw = reinterpret_cast<U>(value), magnitude = raw & 0x7fffffffu;
    if constexpr (std::is_same_v<T, BFloat16>) {
      const U rounded = (raw + 0x7fffu + ((raw >> 16) & 1u)) >> 16;
      return magnitude > kInfinityBits ? (raw >> 16) | 0x7fffu : rounded;
    }
    // The last place of 1/2 is Half's least subnormal: the addition rounds to it.
    const U tiny = reinterpret_cast<U>(reinterpret_cast<V>(magnitude) + 0.5f) - 0x3f000000u;
    const U normal = (magnitude + 0xfffu + ((raw >> 13) & 1u) - kRebias) >> 13;
    const U finite = magnitude < kRebias + (1u << 23) ? tiny : normal;
    const U clamped = magnitude >= 0x47800000u ? U{} + 0x7c00u : finite;
    return (raw >> 31 << 15) | (magnitude > kInfinityBits ? U{} + 0x7fffu : clamped);
  }

  template <typename T>
  LINERATE_INLINE static W widened(T value) {
    if constexpr (std::is_class_v<T>)
      return static_cast<W>(static_cast<float>(value));
    else
      return static_cast<W>(value);
  }
  template <typename T>
  LINERATE_INLINE static T narrowed(W value) {
    static_assert(!(std::is_class_v<T> && std::is_same_v<W, double>), "would round twice");
    return static_cast<T>(value);
  }

  // Taylor's, whose next term is below 2^-27 or 2^-57.
  LINERATE_INLINE static V series(V r) {
    constexpr auto kFactors = [] {
      std::array<W, ExpConstants<W>::kDegree + 1> factors{};
      long double factorial = 1;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        if (i > 0) factorial *= static_cast<long double>(i);
        factors[i] = static_cast<W>(1 / factorial);
      }
      return factors;
    }();
    V value = splat(kFactors.back());
    for (std::size_t i = kFactors.size() - 1; i-- > 0;) value = value * r + kFactors[i];
    return value;
  }

  template <typename Combine>
  LINERATE_INLINE static W folded(V value, Combine combine) {
    std::array<W, kLanes> lanes;
    std::memcpy(lanes.data(), &value, sizeof(V));
    for (std::size_t width = kLanes / 2; width > 0; width /= 2)
      for (std::size_t l = 0; l < width; ++l) lanes[l] = combine(lanes[l], lanes[l + width]);
    return lanes[0];
  }
};

// Calls body(i, lanes) for each vector of `count` elements; `lanes` is fewer than all at the end.
template <typename S, typename Body>
LINERATE_INLINE void each_vector(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + S::kLanes <= count; i += S::kLanes) body(i, S::kLanes);
  if (i < count) body(i, count - i);
}

}  // namespace linerate::cpu
