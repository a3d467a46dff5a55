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

// Calls `each` of all rows, with their logits.
template <typename Each>
void each_row(const CrossEntropy& what, Each each) {
  with_float(what.logits.type, [&]<typename T>() {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      for (std::size_t r = 0; r < what.rows; ++r)
        each.template operator()<T, Isa>(r, elements<T>(what.logits) + r * what.stride);
    });
  });
}

// Where the target of a row lies in a part; its size where it does not.
std::size_t target_in(const CrossEntropyPart& part, std::size_t row) {
  const auto target = static_cast<std::size_t>(part.what.targets[row]);
  const bool inside = target >= part.first && target - part.first < part.what.vocabulary;
  return inside ? target - part.first : part.what.vocabulary;
}

}  // namespace

void cross_entropy(const CrossEntropy& what, double scale) {
  Scratch<double> p(what.vocabulary);  // of the widest type
  each_row(what, [&]<typename T, typename Isa>(std::size_t r, T* logits) LINERATE_KERNEL {
    typename LossRow<T, Isa>::Result row;
    if (what.targets[r] < 0) {
      std::fill_n(logits, what.vocabulary, T{});
    } else {
      const auto target = static_cast<std::size_t>(what.targets[r]);
      row = LossRow<T, Isa>::result(logits, what.vocabulary, target,
                                    reinterpret_cast<Wide<T>*>(p.data()), scale);
    }
    what.losses[r] = row.loss;
    if (what.hits != nullptr) what.hits[r] = row.hit ? 1 : 0;
  });
}

void largest_logits(const CrossEntropyPart& part) {
  const auto& what = part.what;
  each_row(what, [&]<typename T, typename Isa>(std::size_t r, T* logits) LINERATE_KERNEL {
    part.most[r] = static_cast<double>(LossRow<T, Isa>::largest(logits, what.vocabulary));
  });
}

void sum_exponentials(const CrossEntropyPart& part) {
  const auto& what = part.what;
  Scratch<double> p(what.vocabulary);
  each_row(what, [&]<typename T, typename Isa>(std::size_t r, T* logits) LINERATE_KERNEL {
    part.sum[r] = part.own[r] = 0;
    if (what.targets[r] < 0) return;
    part.sum[r] =
        LossRow<T, Isa>::exponentials(logits, what.vocabulary, static_cast<Wide<T>>(part.most[r]),
                                      reinterpret_cast<Wide<T>*>(p.data()));
    const auto target = target_in(part, r);
    if (target < what.vocabulary)
      part.own[r] = static_cast<double>(static_cast<Wide<T>>(logits[target]));
  });
}

void cross_entropy_part(const CrossEntropyPart& part, double scale) {
  const auto& what = part.what;
  Scratch<double> scratch(what.vocabulary);
  each_row(what, [&]<typename T, typename Isa>(std::size_t r, T* logits) LINERATE_KERNEL {
    what.losses[r] = 0;
    if (what.hits != nullptr) what.hits[r] = 0;
    if (what.targets[r] < 0) {
      std::fill_n(logits, what.vocabulary, T{});
      return;
    }
    auto* const p = reinterpret_cast<Wide<T>*>(scratch.data());
    LossRow<T, Isa>::exponentials(logits, what.vocabulary, static_cast<Wide<T>>(part.most[r]), p);
    LossRow<T, Isa>::scaled(logits, p, what.vocabulary, static_cast<Wide<T>>(scale / part.sum[r]));
    const auto target = target_in(part, r);
    if (target < what.vocabulary)
      logits[target] =
          T(static_cast<Wide<T>>((static_cast<double>(p[target]) / part.sum[r] - 1) * scale));
    what.losses[r] = std::log(part.sum[r]) + part.most[r] - part.own[r];
    if (what.hits != nullptr) what.hits[r] = part.own[r] == part.most[r] ? 1 : 0;
  });
}

}  // namespace linerate::cpu
