// Arithmetic in the element type itself, rounding after every step, as the crudest reduction does
// it.
#pragma once

#include "comm/data_type.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace linerate {

template <typename T>
T combined(RedOp op, T a, T b) {
  if constexpr (std::is_class_v<T>) {
    return T(combined(op, static_cast<float>(a), static_cast<float>(b)));
  } else {
    using Wrap = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
    switch (op) {
      case RedOp::prod:
        return static_cast<T>(static_cast<Wrap>(a) * static_cast<Wrap>(b));
      case RedOp::max:
        return a > b ? a : b;
      case RedOp::min:
        return a < b ? a : b;
      case RedOp::sum:
      case RedOp::avg:
      case RedOp::mulsum:
        return static_cast<T>(static_cast<Wrap>(a) + static_cast<Wrap>(b));
    }
    __builtin_unreachable();
  }
}

// `value` times a small whole factor.
template <typename T>
T multiplied(T value, int factor) {
  T result = value;
  for (int i = 1; i < factor; ++i) result = combined(RedOp::sum, result, value);
  return result;
}

template <typename T>
T divided(T value, int by) {
  if constexpr (std::is_class_v<T>)
    return T(static_cast<float>(value) / static_cast<float>(by));
  else if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>)
    return value / static_cast<T>(by);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(value) / by);
  else
    return value / static_cast<T>(by);
}

}  // namespace linerate
