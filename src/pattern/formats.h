// What the generator knows of each element type: layout, poison, and the room for exact arithmetic.
#pragma once

#include <cstdint>

namespace linerate::pattern {

constexpr int at_most(int a, int b) { return a < b ? a : b; }

template <typename BitsType, bool kSignedValue>
struct IntegerFormat {
  using Bits = BitsType;
  static constexpr bool kFloating = false;
  static constexpr bool kSigned = kSignedValue;
  static constexpr int kWidth = 8 * static_cast<int>(sizeof(Bits));
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));

  // Values in ascending order are kKeyBits-bit keys 0, 1, 2, …
  static constexpr int kKeyBits = kWidth;
  static constexpr Bits of_key(std::uint64_t key) {
    return static_cast<Bits>(static_cast<Bits>(key) ^ (kSigned ? kSign : Bits{0}));
  }
  // Even, so that no product of odd numbers takes it, and beyond all keys of min and max.
  static constexpr Bits kPoison = of_key(0xfafafafafafafafaull);
  static constexpr int kSumActive = 64;
  static constexpr int kProductActive = 64;
};

// IEEE-like: sign, exponent, mantissa. `kTop` is the largest exponent at which all mantissas of a
// power of two and below are finite.
template <typename BitsType, int kExponentBits, int kMantissaBitsOf, int kTop>
struct FloatFormat {
  using Bits = BitsType;
  static constexpr bool kFloating = true;
  static constexpr int kMantissaBits = kMantissaBitsOf;
  static constexpr int kPrecision = kMantissaBits + 1;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kWidth = 8 * static_cast<int>(sizeof(Bits));
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
  static constexpr Bits kOne = static_cast<Bits>(Bits{kBias} << kMantissaBits);
  // A NaN in every format, OCP e4m3's only one included.
  static constexpr Bits kPoison = static_cast<Bits>(kSign - 1);

  // 50: what the generator converts to double without a conversion instruction.
  static constexpr int kSumPrecision = at_most(kPrecision, 50);
  // Sums are integers of at most 2^kSumPrecision times 2^e, e in (kSumTop - kSumExponents,
  // kSumTop]: exact in this type, neither too large nor subnormal.
  static constexpr int kSumTop = at_most(kTop - kPrecision, 15);
  static constexpr int kSumExponents = kExponentBits == 4 ? 8 : 16;
  // Ranks that are not zero at one index: fewer where that leaves each too few values.
  static constexpr int kSumActive = kPrecision > 8    ? 64
                                    : kPrecision == 8 ? 16
                                    : kPrecision == 4 ? 4
                                                      : 2;

  // Products: this many ranks are not one; each has an exponent in [-kProductSpan, kProductSpan).
  static constexpr int kProductActive = kExponentBits > 5 ? 16 : 4;
  static constexpr int kProductSpan = kExponentBits > 5 ? 4 : kExponentBits == 5 ? 2 : 1;

  // min and max: normal values of the middle half of all exponents, both signs, as ascending keys.
  static constexpr int kKeyBits = kMantissaBits + kExponentBits;
  static constexpr Bits of_key(std::uint64_t key) {
    constexpr std::uint64_t kHalf = 1ull << (kKeyBits - 1);
    constexpr std::uint64_t kLowest = static_cast<std::uint64_t>(kBias - (1 << (kExponentBits - 2)))
                                      << kMantissaBits;
    const std::uint64_t distance = key >= kHalf ? key - kHalf : kHalf - 1 - key;
    return static_cast<Bits>((kLowest + distance) | (key >= kHalf ? 0 : std::uint64_t{kSign}));
  }
};

using Int8 = IntegerFormat<std::uint8_t, true>;
using Uint8 = IntegerFormat<std::uint8_t, false>;
using Int32 = IntegerFormat<std::uint32_t, true>;
using Uint32 = IntegerFormat<std::uint32_t, false>;
using Int64 = IntegerFormat<std::uint64_t, true>;
using Uint64 = IntegerFormat<std::uint64_t, false>;
using Float16 = FloatFormat<std::uint16_t, 5, 10, 15>;
using Bfloat16 = FloatFormat<std::uint16_t, 8, 7, 127>;
using Float32 = FloatFormat<std::uint32_t, 8, 23, 127>;
using Float64 = FloatFormat<std::uint64_t, 11, 52, 1023>;
using Float8E4M3 = FloatFormat<std::uint8_t, 4, 3, 8>;
using Float8E5M2 = FloatFormat<std::uint8_t, 5, 2, 15>;

}  // namespace linerate::pattern
