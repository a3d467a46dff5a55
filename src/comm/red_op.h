// Reduction operators: one table with their printed names.
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace linerate {

// In nccl-tests' order, which `-o all` follows. avg is the sum divided by the number of ranks
// (integers: divided with truncation). mulsum multiplies each rank's input by that rank's `premul`
// before the sum (NCCL's PreMulSum).
enum class RedOp : std::uint8_t { sum, prod, max, min, avg, mulsum };

struct RedOpRow {
  RedOp op;
  std::string_view name;
};

inline constexpr std::array<RedOpRow, 6> kRedOps{{
    {RedOp::sum, "sum"},
    {RedOp::prod, "prod"},
    {RedOp::max, "max"},
    {RedOp::min, "min"},
    {RedOp::avg, "avg"},
    {RedOp::mulsum, "mulsum"},
}};

constexpr std::string_view name_of(RedOp op) { return kRedOps[static_cast<std::size_t>(op)].name; }

// The scalar that nccl-tests gives rank `rank` for mulsum.
constexpr double premul_of(int rank) { return rank % 2 == 0 ? 1.0 : 2.0; }

// The operator with this printed name; the sentence lists the choices.
Result<RedOp> parse_red_op(std::string_view text);

}  // namespace linerate
