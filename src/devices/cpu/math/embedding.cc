// Rows of embedding tables, and the sums that are their gradients.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/vector.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace linerate::cpu {
namespace {

// sums += row.
template <typename S, typename W, typename T>
LINERATE_INLINE void add_row(W* sums, const T* row, std::size_t columns) {
  each_vector<S>(columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
    S::store(sums + i, S::load(sums + i, lanes) + S::load(row + i, lanes), lanes);
  });
}

// Adds the rows of x listed in `rows`, one after the other, to one row of a gradient, which is
// rounded once.
template <typename T>
void add_rows(T* gradient, const Embedding& what, std::span<const std::size_t> rows,
              Wide<T>* sums) {
  vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
    using S = Simd<Wide<T>, Isa>;
    std::fill_n(sums, what.columns, Wide<T>(0));
    add_row<S>(sums, gradient, what.columns);
    for (const std::size_t r : rows)
      add_row<S>(sums, elements<T>(what.x) + r * what.columns, what.columns);
    each_vector<S>(what.columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
      S::store(gradient + i, S::load(sums + i, lanes), lanes);
    });
  });
}

// Groups rows by the row of the gradient that they go to, in their order; those of negative
// destinations go nowhere.
template <typename T, typename Destination>
void scatter(Array gradient, const Embedding& what, Destination destination) {
  std::vector<std::size_t> rows(what.tokens.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::erase_if(rows, [&](auto r) { return destination(r) < 0; });
  std::stable_sort(rows.begin(), rows.end(),
                   [&](auto a, auto b) { return destination(a) < destination(b); });
  Scratch<Wide<T>> sums(what.columns);
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const auto to = destination(rows[begin]);
    while (end < rows.size() && destination(rows[end]) == to) ++end;
    add_rows(elements<T>(gradient) + static_cast<std::size_t>(to) * what.columns, what,
             std::span(rows).subspan(begin, end - begin), sums.data());
  }
}

}  // namespace

void embedding_forward(const Embedding& what) {
  const std::size_t n = what.columns;
  with_float(what.x.type, [&]<typename T>() {
    for (std::size_t r = 0; r < what.tokens.size(); ++r) {
      T* const to = elements<T>(what.x) + r * n;
      if (what.tokens[r] < 0)
        std::fill_n(to, n, T{});
      else
        std::copy_n(elements<T>(what.table) + static_cast<std::size_t>(what.tokens[r]) * n, n, to);
    }
  });
  if (!what.positions) return;
  for (std::size_t r = 0; r < what.tokens.size(); ++r)
    add(what.x.from(r * n), what.x.from(r * n), what.positions.from(r % what.length * n), n);
}

void embedding_backward(const Embedding& what) {
  with_float(what.x.type, [&]<typename T>() {
    scatter<T>(what.table, what, [&](std::size_t r) { return std::int64_t{what.tokens[r]}; });
    if (what.positions)
      scatter<T>(what.positions, what,
                 [&](std::size_t r) { return static_cast<std::int64_t>(r % what.length); });
  });
}

}  // namespace linerate::cpu
