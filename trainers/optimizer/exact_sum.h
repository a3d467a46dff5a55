// A sum that depends on what is added, not on the order: exact, and rounded once.
//
// A fixed-point number as wide as double's range (Kulisch 1971), of digits of 32 bits in words of
// 64. Ranks add up their words as int64, so that losses and norms have equal bits for any layout.
#pragma once

#include "comm/data_type.h"
#include "comm/math.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace linerate::trainers {

class ExactSum {
 public:
  void add(double value);
  void add(std::span<const double> values);
  // Squares of `count` elements in host memory, of any floating-point type. Those of float64 are
  // exact between 1e-145 and 1e154.
  void add_squares(Array elements, std::size_t count);
  void add(const ExactSum& other);

  // The sum, rounded to nearest even; infinite or NaN as a sum of doubles would be, and infinite
  // beyond their range.
  double value() const;
  // Nothing that was added is infinite or NaN.
  bool finite() const;

  // All of the state: the word-wise sum over up to 2^30 ranks is the sum of all. Valid until the
  // next add.
  static constexpr std::size_t kWords = 71;
  std::span<std::int64_t, kWords> words();

  bool operator==(const ExactSum& other) const;

 private:
  // Adds `magnitude` times 2^(position - 1074).
  void add_bits(std::size_t position, unsigned __int128 magnitude, bool negative);
  template <typename T>
  void add_narrow_squares(const T* values, std::size_t count);
  // Carries, so that each digit is within [0, 2^32), but for the highest one.
  void normalise();

  // 2^-1074 is bit 0 of digit 0; 2^1024 is bit 18 of digit 65; two digits more take the carry.
  static constexpr std::size_t kDigits = 68;
  enum Special : std::size_t { infinite = kDigits, negative_infinite, nan };
  std::array<std::int64_t, kWords> words_{};
  std::uint32_t adds_ = 0;  // since normalise()
};

}  // namespace linerate::trainers
