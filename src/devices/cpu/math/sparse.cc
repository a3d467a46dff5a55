// The largest elements of an array: a threshold by selection, then one pass in the order of
// indices.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace linerate::cpu {
namespace {

template <typename T>
Wide<T> magnitude(T value) {
  const auto wide = static_cast<Wide<T>>(value);
  return std::isnan(wide) ? std::numeric_limits<Wide<T>>::infinity() : std::abs(wide);
}

// The smallest of the `kept` largest magnitudes, and how many of these are larger.
template <typename T>
std::pair<Wide<T>, std::size_t> threshold(const T* x, const TopK& what) {
  const Scratch<Wide<T>> sizes(what.count);
  std::transform(x, x + what.count, sizes.data(), magnitude<T>);
  auto* const last = sizes.data() + what.kept - 1;
  std::nth_element(sizes.data(), last, sizes.data() + what.count, std::greater<>());
  const auto larger = std::count_if(sizes.data(), last, [&](auto size) { return size > *last; });
  return {*last, static_cast<std::size_t>(larger)};
}

}  // namespace

void take_top_k(const TopK& what) {
  if (what.kept == 0) return;
  with_float(what.x.type, [&]<typename T>() {
    T* const x = elements<T>(what.x);
    const auto [least, larger] = threshold(x, what);
    auto equal = what.kept - larger;  // that are taken too
    std::size_t taken = 0;
    for (std::size_t i = 0; i < what.count && taken < what.kept; ++i) {
      const auto size = magnitude(x[i]);
      if (!(size > least) && (size != least || equal == 0)) continue;
      if (size == least) --equal;
      elements<T>(what.values)[taken] = x[i];
      what.indices[taken++] = static_cast<std::int32_t>(i);
      x[i] = T{};
    }
  });
}

void add_at(const TopK& what) {
  with_float(what.x.type, [&]<typename T>() {
    T* const x = elements<T>(what.x);
    for (std::size_t i = 0; i < what.kept; ++i) {
      auto& sum = x[what.indices[i]];
      sum = T(static_cast<Wide<T>>(sum) + static_cast<Wide<T>>(elements<T>(what.values)[i]));
    }
  });
}

}  // namespace linerate::cpu
