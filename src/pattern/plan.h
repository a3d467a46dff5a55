// From a Content to the constants that the generator needs.
#pragma once

#include "comm/content.h"
#include "comm/data_type.h"
#include "pattern/generate.h"

#include <bit>
#include <cassert>
#include <cstdint>

namespace linerate::pattern {

// How many ranks contribute at one index.
template <typename F>
constexpr int active_ranks(RedOp op, int nranks) {
  constexpr int kAverage = 2;  // floats: n quotients of which all but few are zero round but little
  constexpr int kExtremal = 64;  // enough to notice any order, few enough to compute for many ranks
  switch (op) {
    case RedOp::sum:
    case RedOp::mulsum:
      return at_most(nranks, F::kSumActive);
    case RedOp::avg:
      return at_most(nranks, F::kFloating ? kAverage : F::kSumActive);
    case RedOp::prod:
      return at_most(nranks, F::kProductActive);
    case RedOp::max:
    case RedOp::min:
      return at_most(nranks, kExtremal);
  }
  __builtin_unreachable();
}

// How large the integers are that floats are made of, and what their exponents and signs do.
template <typename F>
constexpr void plan_float_sum(Plan& plan) {
  const bool average = plan.divisor > 1;
  // active * 2^bits * (1 + weight) <= 2^kSumPrecision.
  const int bits = F::kSumPrecision - static_cast<int>(std::bit_width(plan.active - 1)) -
                   static_cast<int>(plan.weight);
  plan.magnitude_mask = (1ull << bits) - 1;
  plan.magnitude_floor = average ? 1ull << bits >> 1 : 0;
  plan.exponent_mask = average ? 1u : static_cast<std::uint32_t>(F::kSumExponents - 1);
  // A difference of rounded quotients would not keep to 2 ULP.
  plan.shared_sign = average ? ~0u : 0u;
}

// REQUIRES: 1 <= content.nranks <= 65536.
template <typename F>
constexpr Plan plan_of(const Content& content) {
  assert(content.nranks >= 1 && content.nranks <= 65536);
  const auto nranks = static_cast<std::uint32_t>(content.nranks);
  const auto rank = static_cast<std::uint32_t>(content.rank);
  const bool average = content.op == RedOp::avg;
  Plan plan{.seed = content.seed,
            .nranks = nranks,
            .active = static_cast<std::uint32_t>(active_ranks<F>(content.op, content.nranks)),
            .rank = rank,
            .rank_in_turn = rank % nranks,
            .weight = content.op == RedOp::mulsum ? 1u : 0u,
            .divisor = average ? nranks : 1u,
            .winner = content.op == RedOp::max ? 1u : 0u};
  const bool sums = average || content.op == RedOp::sum || content.op == RedOp::mulsum;
  if constexpr (F::kFloating) {
    if (sums) plan_float_sum<F>(plan);
  }
  return plan;
}

// In units in the last place (ULP). Bit patterns of one sign are as many apart; other pairs are far
// apart.
//
// All results are exact but floating averages whose quotient by the number of ranks rounds, that
// is, where that is no power of two. Most backends divide the sum and round once. NCCL multiplies
// each input by 1/n before it adds: 1/n, two products and their sum round, in the element's type.
// Over the generator's inputs that ends up to 2 ULP away, of 8-bit floats 1 as long as 1/n is a
// normal number (enumerated: Average.AcceptsInputsScaledBeforeTheSum).
inline std::uint64_t tolerance_of(const Content& content) {
  constexpr std::uint64_t kScaledFirst = 2, kScaledFirst8Bits = 1;
  constexpr int kNormalE4m3 = 64, kNormalE5m2 = 1 << 14;  // ranks of the least normal 1/n
  const bool rounds = content.kind == Content::Kind::reduction && content.op == RedOp::avg &&
                      row_of(content.type).floating &&
                      !std::has_single_bit(static_cast<unsigned>(content.nranks));
  if (!rounds) return 0;
  const bool is_e4m3 = content.type == DataType::f8e4m3;
  const bool normal = content.nranks <= (is_e4m3 ? kNormalE4m3 : kNormalE5m2);
  return bytes_of(content.type) == 1 && normal ? kScaledFirst8Bits : kScaledFirst;
}

}  // namespace linerate::pattern
