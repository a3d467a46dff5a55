// Cross entropy, row by row: the largest logit, the exponentials, and then the gradient.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/vector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linerate::cpu {
namespace {

// Exponentials are summed as float within a block, blocks as double.
constexpr std::size_t kSumBlock = 1024;

template <typename T, typename Isa>
struct LossRow {
  using W = Wide<T>;
  using S = Simd<W, Isa>;
  using V = typename S::V;

  LINERATE_INLINE static W largest(const T* logits, std::size_t count) {
    const W none = -std::numeric_limits<W>::infinity();
    V most = S::splat(none);
    std::size_t i = 0;
    for (; i + S::kLanes <= count; i += S::kLanes) most = S::max(S::load(logits + i), most);
    W result = S::largest(most);
    for (; i < count; ++i) result = std::max(result, static_cast<W>(logits[i]));
    return result;
  }

  // p = exp(logits - most); yields its sum.
  LINERATE_INLINE static double exponentials(const T* logits, std::size_t count, W most, W* p) {
    double total = 0;
    for (std::size_t begin = 0; begin < count; begin += kSumBlock) {
      V sum{};
      each_vector<S>(std::min(kSumBlock, count - begin),
                     [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
                       const V value = S::exp(S::load(logits + begin + i, lanes) - most);
                       S::store(p + begin + i, value, lanes);
                       sum += S::first_lanes(value, lanes);
                     });
      total += static_cast<double>(S::sum(sum));
    }
    return total;
  }

  // logits = p * factor.
  LINERATE_INLINE static void scaled(T* logits, const W* p, std::size_t count, W factor) {
    each_vector<S>(count, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      S::store(logits + i, S::load(p + i, lanes) * factor, lanes);
    });
  }

  struct Result {
    double loss = 0;
    bool hit = false;
  };

  // `p` has room for a row.
  LINERATE_INLINE static Result result(T* logits, std::size_t count, std::size_t target, W* p,
                                       double scale) {
    const W most = largest(logits, count);
    const double own = static_cast<double>(static_cast<W>(logits[target]));
    const double sum = exponentials(logits, count, most, p);
    scaled(logits, p, count, static_cast<W>(scale / sum));
    const double slope = (static_cast<double>(p[target]) / sum - 1) * scale;
    logits[target] = T(static_cast<W>(slope));
    const double largest_logit = static_cast<double>(most);
    return {.loss = std::log(sum) + largest_logit - own, .hit = own == largest_logit};
  }
};

}  // namespace

void cross_entropy(const CrossEntropy& what, double scale) {
  with_float(what.logits.type, [&]<typename T>() {
    Scratch<Wide<T>> p(what.vocabulary);
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      for (std::size_t r = 0; r < what.rows; ++r) {
        T* const logits = elements<T>(what.logits) + r * what.stride;
        typename LossRow<T, Isa>::Result row;
        if (what.targets[r] < 0) {
          std::fill_n(logits, what.vocabulary, T{});
        } else {
          const auto target = static_cast<std::size_t>(what.targets[r]);
          row = LossRow<T, Isa>::result(logits, what.vocabulary, target, p.data(), scale);
        }
        what.losses[r] = row.loss;
        if (what.hits != nullptr) what.hits[r] = row.hit ? 1 : 0;
      }
    });
  });
}

}  // namespace linerate::cpu
