// What the generator knows of each element type: layout, poison, and the room for exact arithmetic.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace linerate::pattern {

constexpr int at_most(int a, int b) { return a < b ? a : b; }

template <typename T>
struct IntegerFormat {
  using Bits = std::make_unsigned_t<T>;
  static constexpr bool kFloating = false;
  static constexpr bool kSigned = std::is_signed_v<T>;
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

// What a type of comm/float_types.h says of itself, of one of the processor's own.
template <typename T>
struct NativeFloat {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int kPrecision = std::numeric_limits<T>::digits;
  static constexpr int kMaxExponent = std::numeric_limits<T>::max_exponent - 1;
};

// IEEE-like: sign, exponent, mantissa.
template <typename T>
struct FloatFormat {
  using Value = T;
  using Shape = std::conditional_t<std::is_class_v<T>, T, NativeFloat<T>>;
  using Bits = typename Shape::Bits;
  static constexpr bool kFloating = true;
  static constexpr int kWidth = 8 * static_cast<int>(sizeof(Bits));
  static constexpr int kPrecision = Shape::kPrecision;
  static constexpr int kMantissaBits = kPrecision - 1;
  static constexpr int kExponentBits = kWidth - kPrecision;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
  static constexpr Bits kOne = static_cast<Bits>(Bits{kBias} << kMantissaBits);
  // A NaN in every format, OCP e4m3's only one included.
  static constexpr Bits kPoison = static_cast<Bits>(kSign - 1);

  // 50: what the generator converts to double without a conversion instruction.
  static constexpr int kSumPrecision = at_most(kPrecision, 50);
  // Sums are integers of at most 2^kSumPrecision times 2^e, e in (kSumTop - kSumExponents,
  // kSumTop]: exact in this type, neither too large nor subnormal.
  static constexpr int kSumTop = at_most(Shape::kMaxExponent - kPrecision, 15);
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

// T is a C++ type of with_type() (comm/data_type.h).
template <typename T>
using Format = std::conditional_t<std::is_integral_v<T>, IntegerFormat<T>, FloatFormat<T>>;

}  // namespace linerate::pattern
