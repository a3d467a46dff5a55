// How far a result may be from the expected one.
#pragma once

#include "comm/content.h"
#include "comm/data_type.h"

#include <bit>
#include <cstdint>

namespace linerate::pattern {

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
