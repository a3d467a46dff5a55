// Digits are added without carrying; squares of floats are first added up by their exponent.
#include "trainers/optimizer/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

namespace linerate::trainers {
namespace {

using Wide = unsigned __int128;

constexpr unsigned kDigitBits = 32;
constexpr std::uint64_t kDigitMask = (std::uint64_t{1} << kDigitBits) - 1;
constexpr std::uint32_t kMaxAdds = 1u << 30;  // each adds less than 2^32 to a word
constexpr int kLowest = -1074;                // exponent of bit 0
constexpr unsigned kPrecision = 53;

// Sums of squared mantissas by exponent: squares have at most 48 bits, so that a sum of 2^16 of
// them fits. Neighbours use different lanes, since additions to one place wait for each other.
constexpr std::size_t kLanes = 4, kExponents = 256;
constexpr std::size_t kBlock = kLanes << 16;
using Lanes = std::array<std::array<std::uint64_t, kExponents>, kLanes>;

inline void add_square(std::array<std::uint64_t, kExponents>& sums, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23 & 0xff;
  const std::uint64_t mantissa = (bits & 0x7fffff) | (exponent != 0 ? 1u << 23 : 0);
  sums[exponent] += mantissa * mantissa;
}

// REQUIRES: count <= kBlock.
template <typename T>
void add_squares_to(Lanes& lanes, const T* values, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      add_square(lanes[lane], static_cast<float>(values[i + lane]));
  for (; i < count; ++i) add_square(lanes[0], static_cast<float>(values[i]));
}

struct Bits {
  std::span<const std::int64_t> digits{};  // each within [0, 2^32)

  // From `first` on, as many as fit.
  std::uint64_t from(std::size_t first) const {
    Wide wide = 0;
    for (std::size_t i = 3; i-- > 0;) {
      const auto digit = first / kDigitBits + i;
      wide = wide << kDigitBits | (digit < digits.size() ? static_cast<Wide>(digits[digit]) : 0);
    }
    return static_cast<std::uint64_t>(wide >> first % kDigitBits);
  }
  bool any_below(std::size_t end) const {
    const auto whole = end / kDigitBits;
    const auto rest = (std::uint64_t{1} << end % kDigitBits) - 1;
    return (static_cast<std::uint64_t>(digits[whole]) & rest) != 0 ||
           std::ranges::any_of(digits.first(whole), [](auto digit) { return digit != 0; });
  }
  std::size_t width() const {
    for (std::size_t i = digits.size(); i-- > 0;)
      if (digits[i] != 0)
        return kDigitBits * i +
               static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(digits[i])));
    return 0;
  }
};

// To nearest even.
double rounded(const Bits& bits) {
  const auto width = bits.width();
  if (width <= kPrecision) return std::ldexp(static_cast<double>(bits.from(0)), kLowest);
  const auto dropped = width - kPrecision;
  auto mantissa = bits.from(dropped) & ((std::uint64_t{1} << kPrecision) - 1);
  const bool half = (bits.from(dropped - 1) & 1) != 0;
  if (half && (mantissa % 2 == 1 || bits.any_below(dropped - 1))) ++mantissa;
  return std::ldexp(static_cast<double>(mantissa), static_cast<int>(dropped) + kLowest);
}

}  // namespace

void ExactSum::add_bits(std::size_t position, Wide magnitude, bool negative) {
  if (adds_ >= kMaxAdds) normalise();
  ++adds_;
  auto wide = magnitude << position % kDigitBits;
  for (auto digit = position / kDigitBits; wide != 0; ++digit, wide >>= kDigitBits) {
    const auto part = static_cast<std::int64_t>(static_cast<std::uint64_t>(wide) & kDigitMask);
    words_[digit] += negative ? -part : part;
  }
}

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const std::uint64_t exponent = bits >> 52 & 0x7ff;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff)
    ++words_[fraction != 0 ? nan : negative ? negative_infinite : infinite];
  else if (exponent == 0)
    add_bits(0, fraction, negative);
  else
    add_bits(exponent - 1, fraction | std::uint64_t{1} << 52, negative);
}

void ExactSum::add(std::span<const double> values) {
  for (const auto value : values) add(value);
}

// `values` are not wider than float32.
template <typename T>
void ExactSum::add_narrow_squares(const T* values, std::size_t count) {
  Lanes lanes{};
  add_squares_to(lanes, values, count);
  for (std::size_t exponent = 0; exponent + 1 < kExponents; ++exponent) {
    Wide sum = 0;
    for (const auto& sums : lanes) sum += sums[exponent];
    // A float is its mantissa times 2^(exponent - 150); subnormal ones have the least exponent.
    if (sum != 0) add_bits(2 * std::max<std::size_t>(exponent, 1) - 300 - kLowest, sum, false);
  }
  if (std::ranges::all_of(lanes, [](const auto& sums) { return sums.back() == 0; })) return;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(values[i]);
    if (!std::isfinite(value)) ++words_[std::isnan(value) ? nan : infinite];
  }
}

void ExactSum::add_squares(Array elements, std::size_t count) {
  with_type(elements.type, [&]<typename T>() {
    const auto* values = reinterpret_cast<const T*>(elements.data);
    if constexpr (std::is_same_v<T, double>) {
      for (std::size_t i = 0; i < count; ++i) {
        const double square = values[i] * values[i];
        add(square);
        if (std::isfinite(square)) add(std::fma(values[i], values[i], -square));
      }
    } else {
      assert(row_of(elements.type).floating);
      for (std::size_t i = 0; i < count; i += kBlock)
        add_narrow_squares(values + i, std::min(kBlock, count - i));
    }
  });
}

void ExactSum::add(const ExactSum& other) {
  auto part = other;
  part.normalise();
  if (adds_ >= kMaxAdds) normalise();
  ++adds_;
  for (std::size_t i = 0; i < kWords; ++i) words_[i] += part.words_[i];
}

void ExactSum::normalise() {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < kDigits; ++i) {
    const auto sum = words_[i] + carry;
    words_[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) & kDigitMask);
    carry = sum >> kDigitBits;
  }
  words_[kDigits - 1] += carry;
  adds_ = 1;
}

std::span<std::int64_t, ExactSum::kWords> ExactSum::words() {
  normalise();
  adds_ = kMaxAdds;  // once other ranks' are in them
  return words_;
}

bool ExactSum::finite() const {
  return words_[infinite] == 0 && words_[negative_infinite] == 0 && words_[nan] == 0;
}

double ExactSum::value() const {
  using Limits = std::numeric_limits<double>;
  const bool up = words_[infinite] != 0, down = words_[negative_infinite] != 0;
  if (words_[nan] != 0 || (up && down)) return Limits::quiet_NaN();
  if (up || down) return up ? Limits::infinity() : -Limits::infinity();

  auto sum = *this;
  sum.normalise();
  const bool negative = sum.words_[kDigits - 1] < 0;
  if (negative) {
    for (auto& word : sum.words_) word = -word;
    sum.normalise();
  }
  const double magnitude = rounded({std::span(sum.words_).first(kDigits)});
  return negative ? -magnitude : magnitude;
}

bool ExactSum::operator==(const ExactSum& other) const {
  auto one = *this, two = other;
  one.normalise();
  two.normalise();
  return one.words_ == two.words_;
}

}  // namespace linerate::trainers
