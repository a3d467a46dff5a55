// 16- and 8-bit floating-point types in software: storage, and conversion to and from float.
#pragma once

#include <bit>
#include <cstdint>

namespace linerate {

// A float with `kExponentBits` and `kMantissaBitsOf` in an integer `BitsType`. IEEE 754 layout with
// subnormals. Where `kInfinite` is false (OCP e4m3) the highest exponent is an ordinary one, all
// ones is NaN, and there is no infinity. Rounds to nearest even; what is too large becomes
// infinity, or the largest finite value where there is none. Conversions compute every case and
// select one, so that loops over them vectorise.
template <typename BitsType, int kExponentBits, int kMantissaBitsOf, bool kInfinite>
struct SmallFloat {
  using Bits = BitsType;
  static constexpr int kMantissaBits = kMantissaBitsOf;
  static constexpr int kPrecision = kMantissaBits + 1;  // significant bits of a normal number
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  // The exponent of the largest finite power of two.
  static constexpr int kMaxExponent = kInfinite ? kBias : kBias + 1;

  Bits bits = 0;

  SmallFloat() = default;
  [[gnu::always_inline]] explicit constexpr SmallFloat(float value)
      : bits(static_cast<Bits>(narrowed(value))) {}

  [[gnu::always_inline]] static constexpr SmallFloat from_bits(Bits raw) {
    SmallFloat value;
    value.bits = raw;
    return value;
  }

  [[gnu::always_inline]] explicit constexpr operator float() const {
    const std::uint32_t raw = bits;
    if constexpr (kUpperHalf) {
      return std::bit_cast<float>(raw << kDropped);
    } else {
      constexpr auto kMin = (kRebias + 1 - kMantissaBits) << 23;
      const std::uint32_t sign = raw >> kSignBit << 31;
      const std::uint32_t magnitude = raw & kNan;
      const std::uint32_t shifted = magnitude << kDropped;
      const float tiny =
          static_cast<float>(static_cast<std::int32_t>(magnitude)) * std::bit_cast<float>(kMin);
      const std::uint32_t finite = magnitude >> kMantissaBits == 0
                                       ? std::bit_cast<std::uint32_t>(tiny)
                                       : shifted + (kRebias << 23);
      return std::bit_cast<float>(sign | (magnitude > kLargest ? shifted | kInfinity32 : finite));
    }
  }

 private:
  static constexpr int kSignBit = kExponentBits + kMantissaBits;
  static constexpr int kDropped = 23 - kMantissaBits;  // mantissa bits that only a float has
  static constexpr std::uint32_t kBelowHalf = (1u << (kDropped - 1)) - 1;
  static constexpr std::uint32_t kRebias = 127 - kBias;
  static constexpr bool kUpperHalf = kRebias == 0;  // of a float, subnormals included: bfloat16

  // Magnitudes: a NaN, the largest finite value, and what is too large becomes.
  static constexpr std::uint32_t kNan = (1u << kSignBit) - 1;
  static constexpr std::uint32_t kLargest =
      kInfinite ? (((1u << kExponentBits) - 1) << kMantissaBits) - 1 : kNan - 1;
  static constexpr std::uint32_t kOverflow = kInfinite ? kLargest + 1 : kLargest;
  static constexpr std::uint32_t kInfinity32 = 0x7f800000u;

  [[gnu::always_inline]] static constexpr std::uint32_t narrowed(float value) {
    const std::uint32_t raw = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = raw & 0x7fffffffu;
    const std::uint32_t odd = raw >> kDropped & 1u;
    if constexpr (kUpperHalf) {
      const std::uint32_t rounded = (raw + kBelowHalf + odd) >> kDropped;
      return magnitude > kInfinity32 ? raw >> kDropped | kNan : rounded;
    } else {
      // One unit in the last place of this float is the least subnormal: the addition rounds to it.
      constexpr std::uint32_t kUnit = (kRebias + 1 + kDropped) << 23;
      const std::uint32_t tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) +
                                                              std::bit_cast<float>(kUnit)) -
                                 kUnit;
      const std::uint32_t normal =
          ((magnitude + kBelowHalf + odd) >> kDropped) - (kRebias << kMantissaBits);
      const std::uint32_t finite = magnitude < ((kRebias + 1) << 23) ? tiny : normal;
      const std::uint32_t clamped = finite > kOverflow ? kOverflow : finite;
      const std::uint32_t sign = raw >> 31 << kSignBit;
      return sign | (magnitude > kInfinity32 ? kNan : clamped);
    }
  }
};

using Half = SmallFloat<std::uint16_t, 5, 10, true>;
using BFloat16 = SmallFloat<std::uint16_t, 8, 7, true>;
using F8E4M3 = SmallFloat<std::uint8_t, 4, 3, false>;
using F8E5M2 = SmallFloat<std::uint8_t, 5, 2, true>;

}  // namespace linerate
