// Element types and reduction operators: tables with their printed names, and one dispatch by type.
#pragma once

#include "base/result.h"
#include "comm/float_types.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linerate {

// In nccl-tests' order, which `-d all` follows.
enum class DataType : std::uint8_t {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  bfloat16,
  f8e4m3,
  f8e5m2
};

struct DataTypeRow {
  DataType type;
  std::string_view name;  // as nccl-tests prints and reads it
  std::size_t bytes;
  bool floating;
};

inline constexpr std::array<DataTypeRow, 12> kDataTypes{{
    {DataType::int8, "int8", 1, false},
    {DataType::uint8, "uint8", 1, false},
    {DataType::int32, "int32", 4, false},
    {DataType::uint32, "uint32", 4, false},
    {DataType::int64, "int64", 8, false},
    {DataType::uint64, "uint64", 8, false},
    {DataType::float16, "half", 2, true},
    {DataType::float32, "float", 4, true},
    {DataType::float64, "double", 8, true},
    {DataType::bfloat16, "bfloat16", 2, true},
    {DataType::f8e4m3, "f8e4m3", 1, true},
    {DataType::f8e5m2, "f8e5m2", 1, true},
}};

constexpr const DataTypeRow& row_of(DataType type) {
  return kDataTypes[static_cast<std::size_t>(type)];
}
constexpr std::size_t bytes_of(DataType type) { return row_of(type).bytes; }
constexpr std::string_view name_of(DataType type) { return row_of(type).name; }

constexpr bool is_float8(DataType type) {
  return type == DataType::f8e4m3 || type == DataType::f8e5m2;
}

// Bytes of the widest type.
inline constexpr std::size_t kWidestBytes =
    std::ranges::max(kDataTypes, {}, &DataTypeRow::bytes).bytes;

// The type with this printed name; the sentence lists the choices.
Result<DataType> parse_data_type(std::string_view text);

// Calls `body` as body.template operator()<T>() with the C++ type of `type`.
template <typename Body>
decltype(auto) with_type(DataType type, Body&& body) {
  switch (type) {
    case DataType::int8:
      return body.template operator()<std::int8_t>();
    case DataType::uint8:
      return body.template operator()<std::uint8_t>();
    case DataType::int32:
      return body.template operator()<std::int32_t>();
    case DataType::uint32:
      return body.template operator()<std::uint32_t>();
    case DataType::int64:
      return body.template operator()<std::int64_t>();
    case DataType::uint64:
      return body.template operator()<std::uint64_t>();
    case DataType::float16:
      return body.template operator()<Half>();
    case DataType::float32:
      return body.template operator()<float>();
    case DataType::float64:
      return body.template operator()<double>();
    case DataType::bfloat16:
      return body.template operator()<BFloat16>();
    case DataType::f8e4m3:
      return body.template operator()<F8E4M3>();
    case DataType::f8e5m2:
      return body.template operator()<F8E5M2>();
  }
  __builtin_unreachable();
}

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
