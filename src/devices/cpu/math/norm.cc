// LayerNorm and RMSNorm, row by row: the mean first, then the squares around it.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/vector.h"

#include <algorithm>
#include <cmath>

namespace linerate::cpu {
namespace {

constexpr double kEpsilon = 1e-5;

template <typename T, typename Isa>
struct NormRows {
  using W = Wide<T>;
  using S = Simd<W, Isa>;
  using V = typename S::V;

  LINERATE_INLINE static W mean_of(const T* x, std::size_t count) {
    V sum{};
    each_vector<S>(count, [&](std::size_t i, std::size_t lanes)
                              LINERATE_KERNEL { sum += S::load(x + i, lanes); });
    return S::sum(sum) / static_cast<W>(count);
  }

  LINERATE_INLINE static void forward(const Norm& what, std::size_t row, T* y) {
    const T* const x = elements<T>(what.x) + row * what.columns;
    const T *weight = elements<T>(what.weight), *bias = elements<T>(what.bias);
    const bool layer = what.kind == NormKind::layer;
    const W mean = layer ? mean_of(x, what.columns) : W(0);
    V squares{};
    each_vector<S>(what.columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      const V centred = S::first_lanes(S::load(x + i, lanes) - mean, lanes);
      squares += centred * centred;
    });
    const W variance = S::sum(squares) / static_cast<W>(what.columns);
    const W rstd = W(1) / std::sqrt(variance + static_cast<W>(kEpsilon));
    each_vector<S>(what.columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      const V normal = (S::load(x + i, lanes) - mean) * rstd * S::load(weight + i, lanes);
      S::store(y + i, layer ? normal + S::load(bias + i, lanes) : normal, lanes);
    });
    if (layer) elements<W>(what.mean)[row] = mean;
    elements<W>(what.rstd)[row] = rstd;
  }

  // Adds to dx, and the row's part to `weight_sum` and `bias_sum`.
  LINERATE_INLINE static void backward(const Norm& what, std::size_t row, const T* dy, T* dx,
                                       W* weight_sum, W* bias_sum) {
    const T* const x = elements<T>(what.x) + row * what.columns;
    const T* const weight = elements<T>(what.weight);
    const bool layer = what.kind == NormKind::layer;
    const W mean = layer ? elements<W>(what.mean)[row] : W(0), rstd = elements<W>(what.rstd)[row];
    V sum{}, product{};
    each_vector<S>(what.columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      const V normal = (S::load(x + i, lanes) - mean) * rstd, slope = S::load(dy + i, lanes);
      const V scaled = slope * S::load(weight + i, lanes);
      S::store(weight_sum + i, S::load(weight_sum + i, lanes) + slope * normal, lanes);
      if (layer) S::store(bias_sum + i, S::load(bias_sum + i, lanes) + slope, lanes);
      sum += scaled;
      product += scaled * normal;
    });
    const W columns = static_cast<W>(what.columns);
    const W sum_mean = layer ? S::sum(sum) / columns : W(0), dot_mean = S::sum(product) / columns;
    each_vector<S>(what.columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      const V normal = (S::load(x + i, lanes) - mean) * rstd;
      const V scaled = S::load(dy + i, lanes) * S::load(weight + i, lanes);
      const V change = (scaled - sum_mean - normal * dot_mean) * rstd;
      S::store(dx + i, S::load(dx + i, lanes) + change, lanes);
    });
  }
};

}  // namespace

void norm_forward(const Norm& what, Array y) {
  with_float(what.x.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      for (std::size_t r = 0; r < what.rows; ++r)
        NormRows<T, Isa>::forward(what, r, elements<T>(y) + r * what.columns);
    });
  });
}

void norm_backward(const Norm& what, Array dy, const NormGradients& gradients) {
  with_float(what.x.type, [&]<typename T>() {
    RowSum<T> weights(what.columns), biases(what.columns);
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      for (std::size_t r = 0; r < what.rows; ++r)
        NormRows<T, Isa>::backward(what, r, elements<T>(dy) + r * what.columns,
                                   elements<T>(gradients.dx) + r * what.columns, weights.data(),
                                   biases.data());
    });
    weights.add_to(elements<T>(gradients.weight));
    if (what.kind == NormKind::layer) biases.add_to(elements<T>(gradients.bias));
  });
}

}  // namespace linerate::cpu
