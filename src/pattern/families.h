// Sums, products and extremes: what a rank contributes at an index, how contributions combine, and
// their bits. Each family bounds what the active ranks add up to, so that every partial result of
// any order or tree is exact in the element type itself.
#pragma once

#include "pattern/formats.h"
#include "pattern/spot.h"

#include <cstdint>

namespace linerate::pattern {

// Sums of integers: all bits random, wrapping around.
template <typename F, bool kFloating = F::kFloating>
struct Additive {
  using Format = F;
  using Bits = typename F::Bits;
  using Term = Word<F>;

  LINERATE_ELEMENT static constexpr Term active(const Plan&, const Spot&, std::uint32_t,
                                                std::uint32_t hash) {
    const auto bits = static_cast<Bits>(word_of<F>(hash));
    return bits == F::kPoison ? Term{bits} ^ 1u : Term{bits};
  }
  LINERATE_ELEMENT static constexpr Term resting(const Plan&, const Spot&, std::uint32_t) {
    return 0;
  }
  LINERATE_ELEMENT static constexpr Term weighted(const Plan& plan, std::uint32_t rank, Term term) {
    return term + (term & (Term{0} - (rank & plan.weight)));
  }
  LINERATE_ELEMENT static constexpr Term combined(const Plan&, Term a, Term b) { return a + b; }
  LINERATE_ELEMENT static constexpr Bits input(const Plan&, const Spot&, Term term) {
    return static_cast<Bits>(term);
  }
  LINERATE_ELEMENT static constexpr Bits result(const Plan& plan, const Spot&, Term total) {
    const auto bits = static_cast<Bits>(total);
    if (plan.divisor == 1) return bits;
    if constexpr (F::kSigned) {
      constexpr int kUnused = 8 * static_cast<int>(sizeof(Term)) - F::kWidth;
      const auto value = static_cast<SignedWord<F>>(Term{bits} << kUnused) >> kUnused;
      return static_cast<Bits>(value / static_cast<SignedWord<F>>(plan.divisor));
    } else {
      return static_cast<Bits>(bits / Term{plan.divisor});
    }
  }
};

// Sums of floats: integers times one power of two, bounded so that their sum keeps to the
// precision.
template <typename F>
struct Additive<F, true> {
  using Format = F;
  using Bits = typename F::Bits;
  using Term = SignedWord<F>;

  LINERATE_ELEMENT static constexpr Term active(const Plan& plan, const Spot& spot, std::uint32_t,
                                                std::uint32_t hash) {
    const auto word = word_of<F>(hash);
    const auto floor = static_cast<Word<F>>(plan.magnitude_floor);
    const auto mask = static_cast<Word<F>>(plan.magnitude_mask);
    const auto magnitude = static_cast<Term>(((word | floor) & mask) + 1);
    const std::uint32_t sign_word =
        (spot.hash << 23 & plan.shared_sign) | (top_of<F>(word) & ~plan.shared_sign);
    const auto negative = static_cast<Term>(sign_word >> 31);
    return (magnitude ^ -negative) + negative;
  }
  LINERATE_ELEMENT static constexpr Term resting(const Plan&, const Spot&, std::uint32_t) {
    return 0;
  }
  LINERATE_ELEMENT static constexpr Term weighted(const Plan& plan, std::uint32_t rank, Term term) {
    return term + (term & -static_cast<Term>(rank & plan.weight));
  }
  LINERATE_ELEMENT static constexpr Term combined(const Plan&, Term a, Term b) { return a + b; }
  LINERATE_ELEMENT static constexpr Bits input(const Plan& plan, const Spot& spot, Term term) {
    return encoded(scaled(plan, spot, term));
  }
  LINERATE_ELEMENT static constexpr Bits result(const Plan& plan, const Spot& spot, Term total) {
    const auto sum = scaled(plan, spot, total);
    return encoded(sum / static_cast<FloatWord<F>>(static_cast<std::int32_t>(plan.divisor)));
  }

 private:
  static constexpr bool kWide = sizeof(Bits) == 8;
  static constexpr int kWideMantissa = kWide ? 52 : 23;
  static constexpr int kWideBias = kWide ? 1023 : 127;

  LINERATE_ELEMENT static constexpr FloatWord<F> scaled(const Plan& plan, const Spot& spot,
                                                        Term total) {
    const auto below = static_cast<Word<F>>(spot.hash & plan.exponent_mask);
    const Word<F> scale = (Word<F>{kWideBias + F::kSumTop} - below) << kWideMantissa;
    return as_float(total) * __builtin_bit_cast(FloatWord<F>, scale);
  }
  LINERATE_ELEMENT static constexpr FloatWord<F> as_float(Term total) {
    if constexpr (kWide) {
      // Below 2^51 an integer is the mantissa of 1.5 * 2^52 plus itself: no conversion to
      // vectorise.
      constexpr double kShift = 6755399441055744.0;
      constexpr auto kShiftBits = __builtin_bit_cast(Term, kShift);
      return __builtin_bit_cast(double, kShiftBits + total) - kShift;
    } else {
      return static_cast<float>(total);
    }
  }
  // Quotients round to nearest even; those of many ranks may be subnormal.
  LINERATE_ELEMENT static constexpr Bits encoded(FloatWord<F> value) {
    return __builtin_bit_cast(Bits, static_cast<typename F::Value>(value));
  }
};

// Products. Integers: odd numbers, so that nothing runs to zero. Floats: powers of two of bounded
// exponents, and one full mantissa; as bit patterns relative to one, their product is a plain sum:
// exponents add, and carries out of the sign bit make signs multiply.
template <typename F>
struct Multiplicative {
  using Format = F;
  using Bits = typename F::Bits;
  using Term = Word<F>;

  LINERATE_ELEMENT static constexpr Term active(const Plan&, const Spot&, std::uint32_t turn,
                                                std::uint32_t hash) {
    const Term word = word_of<F>(hash);
    if constexpr (!F::kFloating) {
      return word | 1u;
    } else {
      constexpr std::uint32_t kMask = 2 * F::kProductSpan - 1;
      const std::uint32_t top = top_of<F>(word);
      const Term mantissa = turn == 0 ? word & ((Term{1} << F::kMantissaBits) - 1) : 0;
      const Term exponent = Term{top >> 24 & kMask} - Term{F::kProductSpan};
      return (exponent << F::kMantissaBits) + mantissa + (Term{top >> 31} << (F::kWidth - 1));
    }
  }
  LINERATE_ELEMENT static constexpr Term resting(const Plan&, const Spot&, std::uint32_t) {
    return F::kFloating ? 0 : 1;
  }
  LINERATE_ELEMENT static constexpr Term weighted(const Plan&, std::uint32_t, Term term) {
    return term;
  }
  LINERATE_ELEMENT static constexpr Term combined(const Plan&, Term a, Term b) {
    return F::kFloating ? a + b : a * b;
  }
  LINERATE_ELEMENT static constexpr Bits input(const Plan&, const Spot&, Term term) {
    if constexpr (F::kFloating)
      return static_cast<Bits>(F::kOne + term);
    else
      return static_cast<Bits>(term);
  }
  LINERATE_ELEMENT static constexpr Bits result(const Plan& plan, const Spot& spot, Term total) {
    return input(plan, spot, total);
  }
};

// min and max: around a random centre of each index, so that the extreme of many ranks still
// varies. Keys are values in ascending order; the active ranks hold the half of the window that
// wins. For min all keys are complemented, so that the largest wins there too.
template <typename F>
struct Extremal {
  using Format = F;
  using Bits = typename F::Bits;
  using Term = Word<F>;

  LINERATE_ELEMENT static constexpr Term active(const Plan& plan, const Spot& spot, std::uint32_t,
                                                std::uint32_t hash) {
    return key(spot, hash, plan.winner) ^ flip(plan);
  }
  LINERATE_ELEMENT static constexpr Term resting(const Plan& plan, const Spot& spot,
                                                 std::uint32_t hash) {
    return key(spot, hash, 1 - plan.winner) ^ flip(plan);
  }
  LINERATE_ELEMENT static constexpr Term weighted(const Plan&, std::uint32_t, Term term) {
    return term;
  }
  LINERATE_ELEMENT static constexpr Term combined(const Plan&, Term a, Term b) {
    return a > b ? a : b;
  }
  LINERATE_ELEMENT static constexpr Bits input(const Plan& plan, const Spot&, Term term) {
    return F::of_key(term ^ flip(plan));
  }
  LINERATE_ELEMENT static constexpr Bits result(const Plan& plan, const Spot&, Term term) {
    return F::of_key(term ^ flip(plan));
  }

 private:
  LINERATE_ELEMENT static constexpr Term flip(const Plan& plan) { return Term{plan.winner} - 1; }
  // An eighth of all keys stays free at both ends: integers' poison lies there.
  LINERATE_ELEMENT static constexpr Term key(const Spot& spot, std::uint32_t hash,
                                             std::uint32_t upper) {
    constexpr Term kEighth = Term{1} << (F::kKeyBits - 3);
    const Term centre = word_of<F>(mixed(spot.hash + kGolden32)) & (4 * kEighth - 1);
    const Term offset = word_of<F>(hash) & (kEighth - 1);
    return kEighth + centre + offset + (kEighth & (Term{0} - upper));
  }
};

}  // namespace linerate::pattern
