// How far a result may be from the expected one.
#pragma once

#include "comm/content.h"
#include "comm/data_type.h"

#include <cstdint>

namespace linerate::pattern {

// In units in the last place. Bit patterns of one sign are as many apart; other pairs are far
// apart.
inline std::uint64_t tolerance_of(const Content& content) {
  constexpr std::uint64_t kAverage = 2;  // nccl-tests' for averages, whose quotients round
  const bool rounds = content.kind == Content::Kind::reduction && content.op == RedOp::avg &&
                      row_of(content.type).floating && content.nranks > 1;
  return rounds ? kAverage : 0;
}

}  // namespace linerate::pattern
