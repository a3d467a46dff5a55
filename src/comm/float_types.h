// 16- and 8-bit floating-point types in software: storage, and conversion to and from float.
#pragma once

#include <bit>
#include <cstdint>

namespace linerate {

// A float with `kExponentBits` and `kMantissaBits` in an integer `Bits`. IEEE 754 layout with
// subnormals. Where `kInfinite` is false (OCP e4m3) the highest exponent is an ordinary one, all
// ones is NaN, and there is no infinity. Rounds to nearest even; what is too large becomes
// infinity, or the largest finite value where there is none.
template <typename Bits, int kExponentBits, int kMantissaBits, bool kInfinite>
struct SmallFloat {
  Bits bits = 0;

  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kPrecision = kMantissaBits + 1;  // significant bits of a normal number

  SmallFloat() = default;
  explicit constexpr SmallFloat(float value) : bits(encode(value)) {}

  static constexpr SmallFloat from_bits(Bits raw) {
    SmallFloat value;
    value.bits = raw;
    return value;
  }

  explicit constexpr operator float() const {
    const std::uint32_t sign = std::uint32_t{bits} >> (kExponentBits + kMantissaBits) << 31;
    const std::uint32_t magnitude = bits & kMagnitudeMask;
    const std::uint32_t exponent = magnitude >> kMantissaBits;
    const std::uint32_t mantissa = magnitude & kMantissaMask;
    if (magnitude > kLargest) return special(sign, mantissa);
    if (exponent == 0) {
      const float value = static_cast<float>(mantissa) * std::bit_cast<float>(kLeastSubnormal);
      return sign != 0 ? -value : value;
    }
    return std::bit_cast<float>(sign | ((exponent + 127 - kBias) << 23) |
                                (mantissa << (23 - kMantissaBits)));
  }

 private:
  static constexpr std::uint32_t kMantissaMask = (1u << kMantissaBits) - 1;
  static constexpr std::uint32_t kMagnitudeMask = (1u << (kExponentBits + kMantissaBits)) - 1;
  // The largest finite magnitude: below the infinity, or below the one NaN.
  static constexpr std::uint32_t kLargest =
      kInfinite ? (((1u << kExponentBits) - 1) << kMantissaBits) - 1 : kMagnitudeMask - 1;

  // The binary32 bits of 2^(1 - kBias - kMantissaBits); in binary32 it is subnormal for bfloat16.
  static constexpr int kLeastExponent = 127 + 1 - kBias - kMantissaBits;
  static constexpr std::uint32_t kLeastSubnormal = kLeastExponent > 0
                                                       ? std::uint32_t(kLeastExponent) << 23
                                                       : 1u << (22 + kLeastExponent);

  static constexpr float special(std::uint32_t sign, std::uint32_t mantissa) {
    const bool infinity = kInfinite && mantissa == 0;
    return std::bit_cast<float>(sign | (infinity ? 0x7f800000u : 0x7fc00000u));
  }

  static constexpr Bits encode(float value) {
    const std::uint32_t raw = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (raw >> 31) << (kExponentBits + kMantissaBits);
    const std::uint32_t magnitude = raw & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<Bits>(sign | kMagnitudeMask);  // NaN
    const std::uint32_t rounded = round_magnitude(magnitude);
    const std::uint32_t ceiling = kInfinite ? kLargest + 1 : kLargest;
    return static_cast<Bits>(sign | (rounded > ceiling ? ceiling : rounded));
  }

  // The small-float magnitude nearest to a finite or infinite binary32 magnitude, not yet clamped.
  static constexpr std::uint32_t round_magnitude(std::uint32_t magnitude) {
    // A binary32 subnormal has no leading one, and the exponent of field 1.
    const bool subnormal = magnitude < 0x800000u;
    const int exponent = (subnormal ? 1 : static_cast<int>(magnitude >> 23)) - 127 + kBias;
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | (subnormal ? 0u : 0x800000u);
    int dropped = 23 - kMantissaBits;
    if (exponent <= 0) dropped += 1 - exponent;  // subnormal: more bits fall off
    if (dropped > 25) return 0;
    const std::uint32_t kept = mantissa >> dropped;
    const std::uint32_t rest = mantissa & ((1u << dropped) - 1);
    const std::uint32_t half = 1u << (dropped - 1);
    const std::uint32_t up = rest > half || (rest == half && (kept & 1u) != 0) ? 1 : 0;
    if (exponent <= 0) return kept + up;
    // The leading one adds to the exponent field, so a carry moves to the next exponent by itself.
    return (static_cast<std::uint32_t>(exponent - 1) << kMantissaBits) + kept + up;
  }
};

using Half = SmallFloat<std::uint16_t, 5, 10, true>;
using BFloat16 = SmallFloat<std::uint16_t, 8, 7, true>;
using F8E4M3 = SmallFloat<std::uint8_t, 4, 3, false>;
using F8E5M2 = SmallFloat<std::uint8_t, 5, 2, true>;

}  // namespace linerate
