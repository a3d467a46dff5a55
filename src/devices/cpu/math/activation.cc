// GELU and SwiGLU; both are products with a sigmoid.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/vector.h"

namespace linerate::cpu {
namespace {

constexpr double kSqrt8OverPi = 1.5957691216057307118;  // 2 sqrt(2 / pi)
constexpr double kCubic = 0.044715;

template <typename W, typename Isa>
struct Activation {
  using S = Simd<W, Isa>;
  using V = typename S::V;

  LINERATE_INLINE static V sigmoid(V x) { return W(1) / (W(1) + S::exp(-x)); }
  // x (1 + tanh(u)) / 2 is x sigmoid(2 u), with this 2 u.
  LINERATE_INLINE static V twice_u(V x) {
    constexpr W kLinear = static_cast<W>(kSqrt8OverPi);
    constexpr W kCube = static_cast<W>(kSqrt8OverPi * kCubic);
    return x * (kLinear + kCube * (x * x));
  }
  LINERATE_INLINE static V gelu(V x) { return x * sigmoid(twice_u(x)); }
  LINERATE_INLINE static V gelu_slope(V x) {
    constexpr W kLinear = static_cast<W>(kSqrt8OverPi);
    constexpr W kCube = static_cast<W>(3 * kSqrt8OverPi * kCubic);
    const V s = sigmoid(twice_u(x)), rest = W(1) - s;
    // The square of a large x is infinite in float, where the rest is exactly 0.
    const V steep = x * s * rest * (kLinear + kCube * (x * x));
    return s + (rest * s == W(0) ? V{} : steep);
  }
};

}  // namespace

void gelu_forward(Array y, Array x, std::size_t count) {
  with_float(x.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<Wide<T>, Isa>;
      const T* const from = elements<T>(x);
      T* const to = elements<T>(y);
      each_vector<S>(count, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
        S::store(to + i, Activation<Wide<T>, Isa>::gelu(S::load(from + i, lanes)), lanes);
      });
    });
  });
}

void gelu_backward(Array dx, Array dy, Array x, std::size_t count) {
  with_float(x.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<Wide<T>, Isa>;
      const T *from = elements<T>(x), *slope = elements<T>(dy);
      T* const to = elements<T>(dx);
      each_vector<S>(count, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
        const auto own = Activation<Wide<T>, Isa>::gelu_slope(S::load(from + i, lanes));
        S::store(to + i, S::load(slope + i, lanes) * own, lanes);
      });
    });
  });
}

void swiglu_forward(Array y, Array x, std::size_t rows, std::size_t columns) {
  with_float(x.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<Wide<T>, Isa>;
      for (std::size_t r = 0; r < rows; ++r) {
        const T* const from = elements<T>(x) + 2 * r * columns;
        T* const to = elements<T>(y) + r * columns;
        each_vector<S>(columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
          const auto gate = S::load(from + i, lanes), up = S::load(from + columns + i, lanes);
          S::store(to + i, gate * Activation<Wide<T>, Isa>::sigmoid(gate) * up, lanes);
        });
      }
    });
  });
}

void swiglu_backward(Array dx, Array dy, Array x, Rows shape) {
  with_float(x.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using W = Wide<T>;
      using S = Simd<W, Isa>;
      for (std::size_t r = 0; r < shape.rows; ++r) {
        const T* const from = elements<T>(x) + 2 * r * shape.columns;
        const T* const slopes = elements<T>(dy) + r * shape.columns;
        T* const to = elements<T>(dx) + 2 * r * shape.columns;
        each_vector<S>(shape.columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
          const auto gate = S::load(from + i, lanes);
          const auto up = S::load(from + shape.columns + i, lanes);
          const auto slope = S::load(slopes + i, lanes);
          const auto s = Activation<W, Isa>::sigmoid(gate);
          S::store(to + i, slope * up * (s + gate * (s * (W(1) - s))), lanes);
          S::store(to + shape.columns + i, slope * gate * s, lanes);
        });
      }
    });
  });
}

}  // namespace linerate::cpu
