// A step of AdamW in one pass, and the sum of squares that clipping needs.
#include "comm/buffer.h"
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/vector.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace linerate::cpu {
namespace {

constexpr std::size_t kBlock = 1024;  // elements whose gradients are converted at once

// The factors of a step, in the type of the moments.
template <typename W>
struct StepFactors {
  explicit StepFactors(const AdamW& what)
      : beta1(static_cast<W>(what.beta1)),
        rest1(static_cast<W>(1 - what.beta1)),
        beta2(static_cast<W>(what.beta2)),
        rest2(static_cast<W>(1 - what.beta2)),
        gradient(static_cast<W>(what.gradient_scale)),
        kept(static_cast<W>(1 - what.lr * what.weight_decay)),
        rate(static_cast<W>(what.lr / (1 - std::pow(what.beta1, what.step)))),
        root(static_cast<W>(1 / std::sqrt(1 - std::pow(what.beta2, what.step)))),
        epsilon(static_cast<W>(what.epsilon)) {}
  W beta1, rest1, beta2, rest2, gradient;
  W kept;        // of a parameter, after its decay
  W rate, root;  // with the corrections of both moments
  W epsilon;
};

// `count` elements from `begin` on, whose gradients are `gradient`.
template <typename W>
void step_block(const AdamW& what, const StepFactors<W>& by, Range block, const W* gradient) {
  W* const master = elements<W>(what.master) + block.offset;
  W* const first = elements<W>(what.m) + block.offset;
  W* const second = elements<W>(what.v) + block.offset;
  vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
    using S = Simd<W, Isa>;
    each_vector<S>(block.count, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      const auto g = S::load(gradient + i, lanes) * by.gradient;
      const auto m = S::load(first + i, lanes) * by.beta1 + g * by.rest1;
      const auto v = S::load(second + i, lanes) * by.beta2 + g * g * by.rest2;
      const auto change = m * by.rate / (S::sqrt(v) * by.root + by.epsilon);
      S::store(first + i, m, lanes);
      S::store(second + i, v, lanes);
      S::store(master + i, S::load(master + i, lanes) * by.kept - change, lanes);
    });
  });
}

template <typename W>
void step_all(const AdamW& what) {
  const StepFactors<W> by(what);
  const bool converts = what.gradient.type != what.master.type;
  alignas(64) W room[kBlock];
  const Array converted{reinterpret_cast<std::byte*>(room), what.master.type};
  for (std::size_t begin = 0; begin < what.count; begin += kBlock) {
    const Range block{begin, std::min(kBlock, what.count - begin)};
    if (converts) cast(converted, what.gradient.from(begin), block.count);
    step_block<W>(what, by, block, converts ? room : elements<W>(what.gradient) + begin);
    if (what.parameter.data != what.master.data)
      cast(what.parameter.from(begin), what.master.from(begin), block.count);
  }
}

}  // namespace

void adamw(const AdamW& what) {
  if (what.master.type == DataType::float64) return step_all<double>(what);
  assert(what.master.type == DataType::float32);
  step_all<float>(what);
}

SquareSum square_sum(Array x, std::size_t count) {
  SquareSum result;
  with_float(x.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<double, Isa>;
      const T* const from = elements<T>(x);
      typename S::V sums[4]{}, differences{};
      std::size_t i = 0;
      for (; i + 4 * S::kLanes <= count; i += 4 * S::kLanes)
        for (std::size_t part = 0; part < 4; ++part) {
          const auto value = S::load(from + i + part * S::kLanes);
          sums[part] += value * value;
          differences += value - value;  // 0, or NaN for good
        }
      each_vector<S>(count - i, [&](std::size_t j, std::size_t lanes) LINERATE_KERNEL {
        const auto value = S::load(from + i + j, lanes);
        sums[0] += value * value;
        differences += value - value;
      });
      result.sum = S::sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
      result.finite = S::sum(differences) == 0;
    });
  });
  return result;
}

}  // namespace linerate::cpu
