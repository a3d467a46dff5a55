// Sums, factors, biases, conversions and dropout.
#include "base/splitmix.h"
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/vector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace linerate::cpu {
namespace {

constexpr std::size_t kDropoutBlock = 256;  // elements whose random bits are made at once

// `value` rounded to float, and not to nearest but to an odd last bit where that loses anything:
// rounding it once more, to 16 bits, gives what rounding `value` at once would (Boldo & Melquiond
// 2008).
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

template <typename To, typename From>
void cast_elements(To* to, const From* from, std::size_t count) {
  constexpr bool kDouble = std::is_same_v<To, double> || std::is_same_v<From, double>;
  if constexpr (std::is_class_v<To> && kDouble) {
    for (std::size_t i = 0; i < count; ++i) to[i] = To(round_to_odd(from[i]));
  } else {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<std::conditional_t<kDouble, double, float>, Isa>;
      each_vector<S>(count, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
        S::store(to + i, S::load(from + i, lanes), lanes);
      });
    });
  }
}

}  // namespace

void add_bias(Array y, Array bias, std::size_t rows, std::size_t columns) {
  with_float(y.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<Wide<T>, Isa>;
      const T* const add = elements<T>(bias);
      for (std::size_t r = 0; r < rows; ++r) {
        T* const row = elements<T>(y) + r * columns;
        each_vector<S>(columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
          S::store(row + i, S::load(row + i, lanes) + S::load(add + i, lanes), lanes);
        });
      }
    });
  });
}

void bias_backward(Array bias_gradient, Array dy, std::size_t rows, std::size_t columns) {
  with_float(dy.type, [&]<typename T>() {
    const RowSum<T> sums(columns);
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<Wide<T>, Isa>;
      for (std::size_t r = 0; r < rows; ++r) {
        const T* const row = elements<T>(dy) + r * columns;
        each_vector<S>(columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
          S::store(sums.data() + i, S::load(sums.data() + i, lanes) + S::load(row + i, lanes),
                   lanes);
        });
      }
    });
    sums.add_to(elements<T>(bias_gradient));
  });
}

void add(Array out, Array a, Array b, std::size_t count) {
  with_float(out.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<Wide<T>, Isa>;
      const T *left = elements<T>(a), *right = elements<T>(b);
      T* const to = elements<T>(out);
      each_vector<S>(count, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
        S::store(to + i, S::load(left + i, lanes) + S::load(right + i, lanes), lanes);
      });
    });
  });
}

void scale(Array x, double factor, std::size_t count) {
  with_float(x.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<Wide<T>, Isa>;
      const Wide<T> by = static_cast<Wide<T>>(factor);
      T* const to = elements<T>(x);
      each_vector<S>(count, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
        S::store(to + i, S::load(to + i, lanes) * by, lanes);
      });
    });
  });
}

void cast(Array to, Array from, std::size_t count) {
  copy_rows({.rows = 1, .columns = count, .to = to, .from = from});
}

void copy_rows(const RowCopy& what) {
  with_float(what.to.type, [&]<typename To>() {
    with_float(what.from.type, [&]<typename From>() {
      for (std::size_t r = 0; r < what.rows; ++r)
        cast_elements(elements<To>(what.to) + r * what.to_stride,
                      elements<From>(what.from) + r * what.from_stride, what.columns);
    });
  });
}

// An element is dropped where its 64 random bits are below p * 2^64.
void dropout(const Dropout& what) {
  const std::uint64_t state = splitmix64(what.key) + what.first * kSplitMixStep;
  const double limit = std::ldexp(what.p, 64);
  const std::uint64_t dropped = limit >= std::ldexp(1.0, 64)
                                    ? std::numeric_limits<std::uint64_t>::max()
                                    : static_cast<std::uint64_t>(limit);
  with_float(what.x.type, [&]<typename T>() {
    using W = Wide<T>;
    const W factor = static_cast<W>(1 / (1 - what.p));
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      const T* const from = elements<T>(what.x);
      T* const to = elements<T>(what.y);
      std::array<std::uint64_t, kDropoutBlock> random;
      for (std::size_t begin = 0; begin < what.count; begin += kDropoutBlock) {
        for (std::size_t i = 0; i < kDropoutBlock; ++i)
          random[i] = splitmix64(state + (begin + i) * kSplitMixStep);
        for (std::size_t i = 0; i < std::min(kDropoutBlock, what.count - begin); ++i) {
          const W kept = static_cast<W>(from[begin + i]) * factor;
          to[begin + i] = random[i] >= dropped ? T(kept) : T{};
        }
      }
    });
  });
}

}  // namespace linerate::cpu
