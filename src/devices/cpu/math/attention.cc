// Attention, head by head, in tiles of scores that stay in the first-level cache.
//
// A tile is held transposed, a row for each key and a lane for each query, so that the softmax
// works on whole vectors: S^T = K Q^T. Queries, keys and values of a head are widened into matrices
// of their own first, padded with zeros to whole vectors and tiles.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/product.h"
#include "devices/cpu/math/vector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linerate::cpu {
namespace {

constexpr std::size_t kTile = 64;   // queries and keys of a tile
constexpr std::size_t kAhead = 16;  // positions that are asked for before they are read

template <typename W>
constexpr W kInfinity = std::numeric_limits<W>::infinity();

// The elements of one query head of one sequence.
template <typename T>
struct Head {
  Head(const Attention& what, std::size_t sequence, std::size_t h)
      : query(sequence * what.length * what.stride + h * what.head),
        key(sequence * what.length * what.stride + h * what.kv_heads / what.heads * what.head),
        out((sequence * what.length * what.heads + h) * what.head),
        lse(elements<Wide<T>>(what.lse) + (sequence * what.heads + h) * what.length) {}
  std::size_t query, key, out;  // of the first position's first element
  Wide<T>* lse;
};

// A head's matrices: [length, head], padded.
template <typename T>
class HeadRows {
 public:
  using W = Wide<T>;

  explicit HeadRows(const Attention& what)
      : length(what.length),
        head(what.head),
        width(padded(what.head, kLine<W>)),
        rows(padded(what.length, kTile)) {}

  std::size_t count() const { return rows * width; }

  // `stride` elements of `from` lie between two positions: too far for the processor to see what
  // comes next.
  void widen(const Scratch<W>& to, const T* from, std::size_t stride, W factor) const {
    std::fill_n(to.data(), count(), W(0));
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < length; ++i) {
        const T* const soon = from + std::min(i + kAhead, length - 1) * stride;
        for (std::size_t d = 0; d < head; d += kLine<T>) __builtin_prefetch(soon + d);
        each_vector<S>(head, [&](std::size_t d, std::size_t lanes) LINERATE_KERNEL {
          S::store(to.data() + i * width + d, S::load(from + i * stride + d, lanes) * factor);
        });
      }
    });
  }
  // The first `positions` rows of `from`.
  void narrow(T* to, std::size_t stride, const W* from, std::size_t positions, W factor) const {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < positions; ++i)
        each_vector<S>(head, [&](std::size_t d, std::size_t lanes) LINERATE_KERNEL {
          S::store(to + i * stride + d, S::load(from + i * width + d) * factor, lanes);
        });
    });
  }

  std::size_t length, head, width, rows;
};

// What is done with one tile of scores, [key][query]. On the diagonal no query sees a key behind
// it: there work goes in steps of kStep rows, of which each leaves out what none of them needs.
template <typename W>
struct Tile {
  explicit Tile(std::size_t width_of_rows)
      : width(width_of_rows), scores(kTile * kTile), transposed(kTile * width) {}

  void transpose(const W* rows) const {
    for (std::size_t i = 0; i < kTile; ++i)
      for (std::size_t d = 0; d < width; ++d) transposed[d * kTile + i] = rows[i * width + d];
  }
  // scores = the tile's `rows` times what is transposed.
  void score(const W* rows, bool diagonal) const {
    each_step(diagonal, [&](std::size_t key, std::size_t count, std::size_t query) {
      multiply<W>({.m = count,
                   .n = kTile - query,
                   .k = width,
                   .a = rows + key * width,
                   .a_row = width,
                   .b = transposed.data() + query,
                   .ldb = kTile,
                   .c = scores.data() + key * kTile + query,
                   .ldc = kTile});
    });
  }
  // Scores of keys behind their query become -infinity, as far as they were computed.
  void mask() const {
    for (std::size_t j = 1; j < kTile; ++j)
      std::fill_n(&scores[j * kTile + j / kStep * kStep], j % kStep, -kInfinity<W>);
  }
  // sums += scores times `rows`: a row of sums for each key, or for each query.
  void add_by_key(W* sums, const W* rows, bool diagonal) const {
    each_step(diagonal, [&](std::size_t key, std::size_t count, std::size_t query) {
      add(sums + key * width, rows + query * width,
          {.m = count, .k = kTile - query, .a = scores.data() + key * kTile + query});
    });
  }
  void add_by_query(W* sums, const W* rows, bool diagonal) const {
    each_step(diagonal, [&](std::size_t query, std::size_t count, std::size_t) {
      add(sums + query * width, rows,
          {.m = count, .k = query + count, .a = scores.data() + query, .a_column = kTile});
    });
  }
  // Keys that the queries of a vector from `query` on see.
  static std::size_t keys_of(std::size_t query, bool diagonal) {
    return diagonal ? query / kStep * kStep + kStep : kTile;
  }

  std::size_t width;
  Scratch<W> scores, transposed;

 private:
  static constexpr std::size_t kStep = 16;

  // Calls body(first row, rows, first column that they need).
  template <typename Body>
  static void each_step(bool diagonal, Body body) {
    if (!diagonal) return body(0, kTile, 0);
    for (std::size_t row = 0; row < kTile; row += kStep) body(row, kStep, row);
  }
  void add(W* sums, const W* rows, Product<W> product) const {
    product.n = product.ldb = product.ldc = width;
    product.a_row = product.a_column == 1 ? kTile : 1;
    product.b = rows;
    product.c = sums;
    product.accumulates = true;
    multiply(product);
  }
};

// What forward knows of a tile's queries so far (Milakov & Gimelshein 2018).
template <typename W>
struct Running {
  Running() {
    std::fill_n(most, kTile, -kInfinity<W>);
    std::fill_n(sum, kTile, W(0));
  }
  // Scores become exp(score - most), and `out` is brought to the new `most`.
  void take(const Tile<W>& tile, W* out, bool diagonal) {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < kTile; i += S::kLanes)
        take_lanes<S>(tile.scores.data() + i, i, Tile<W>::keys_of(i, diagonal));
      for (std::size_t i = 0; i < kTile; ++i)
        for (std::size_t d = 0; d < tile.width; d += S::kLanes) {
          W* const at = out + i * tile.width + d;
          S::store(at, S::load(at) * shrink[i]);
        }
    });
  }

  alignas(64) W most[kTile], sum[kTile], shrink[kTile];

 private:
  template <typename S>
  LINERATE_INLINE void take_lanes(W* scores, std::size_t i, std::size_t keys) {
    const auto before = S::load(most + i);
    auto now = before;
    for (std::size_t j = 0; j < keys; ++j) now = S::max(now, S::load(scores + j * kTile));
    typename S::V total{};
    for (std::size_t j = 0; j < keys; ++j) {
      const auto p = S::exp(S::load(scores + j * kTile) - now);
      S::store(scores + j * kTile, p);
      total += p;
    }
    const auto factor = S::exp(before - now);
    S::store(most + i, now);
    S::store(shrink + i, factor);
    S::store(sum + i, S::load(sum + i) * factor + total);
  }
};

template <typename T>
class Forward {
 public:
  using W = Wide<T>;

  explicit Forward(const Attention& what)
      : what_(what),
        rows_(what),
        q_(rows_.count()),
        k_(rows_.count()),
        v_(rows_.count()),
        out_(kTile * rows_.width),
        tile_(rows_.width) {}

  void read_keys(const Head<T>& head) const {
    rows_.widen(k_, elements<T>(what_.k) + head.key, what_.stride, W(1));
    rows_.widen(v_, elements<T>(what_.v) + head.key, what_.stride, W(1));
  }
  void run(const Head<T>& head) const {
    rows_.widen(q_, elements<T>(what_.q) + head.query, what_.stride,
                W(1) / std::sqrt(static_cast<W>(what_.head)));
    for (std::size_t i = 0; i < what_.length; i += kTile) run_tile(head, i);
  }

 private:
  // Queries from `first` on.
  void run_tile(const Head<T>& head, std::size_t first) const {
    Running<W> running;
    std::fill_n(out_.data(), kTile * rows_.width, W(0));
    tile_.transpose(&q_[first * rows_.width]);
    for (std::size_t j = 0; j <= first; j += kTile) {
      const bool diagonal = j == first;
      tile_.score(&k_[j * rows_.width], diagonal);
      if (diagonal) tile_.mask();
      running.take(tile_, out_.data(), diagonal);
      tile_.add_by_query(out_.data(), &v_[j * rows_.width], diagonal);
    }
    const std::size_t stride = what_.heads * what_.head;
    for (std::size_t i = 0; i < std::min(kTile, what_.length - first); ++i) {
      head.lse[first + i] = running.most[i] + std::log(running.sum[i]);
      T* const to = elements<T>(what_.o) + head.out + (first + i) * stride;
      rows_.narrow(to, stride, &out_[i * rows_.width], 1, W(1) / running.sum[i]);
    }
  }

  const Attention& what_;
  HeadRows<T> rows_;
  Scratch<W> q_, k_, v_, out_;
  Tile<W> tile_;
};

// Probabilities are computed once more from the saved log-sum-exp, and the slope of a score needs
// one sum for each query, of its output times the gradient of that (Dao 2023, algorithm 2).
template <typename T>
class Backward {
 public:
  using W = Wide<T>;

  Backward(const Attention& what, Array dout, const AttentionGradients& gradients)
      : what_(what),
        dout_(elements<T>(dout)),
        gradients_(gradients),
        rows_(what),
        scale_(W(1) / std::sqrt(static_cast<W>(what.head))),
        scores_(rows_.width),
        slopes_(rows_.width) {}

  void read_keys(const Head<T>& head) const {
    rows_.widen(k_, elements<T>(what_.k) + head.key, what_.stride, W(1));
    rows_.widen(v_, elements<T>(what_.v) + head.key, what_.stride, W(1));
    std::fill_n(dk_.data(), rows_.count(), W(0));
    std::fill_n(dv_.data(), rows_.count(), W(0));
  }
  void run(const Head<T>& head) const {
    const std::size_t out_stride = what_.heads * what_.head;
    rows_.widen(q_, elements<T>(what_.q) + head.query, what_.stride, scale_);
    rows_.widen(dout_rows_, dout_ + head.out, out_stride, W(1));
    rows_.widen(dq_, elements<T>(what_.o) + head.out, out_stride, W(1));
    read_queries(head);
    std::fill_n(dq_.data(), rows_.count(), W(0));
    for (std::size_t i = 0; i < what_.length; i += kTile) run_tile(i);
    rows_.narrow(elements<T>(gradients_.dq) + head.query, what_.stride, dq_.data(), what_.length,
                 scale_);
  }
  void write_keys(const Head<T>& head) const {
    rows_.narrow(elements<T>(gradients_.dk) + head.key, what_.stride, dk_.data(), what_.length,
                 W(1));
    rows_.narrow(elements<T>(gradients_.dv) + head.key, what_.stride, dv_.data(), what_.length,
                 W(1));
  }

 private:
  // Padding has an infinite lse, so that its probabilities are 0. dq_ holds the outputs.
  void read_queries(const Head<T>& head) const {
    std::fill_n(lse_.data(), rows_.rows, kInfinity<W>);
    std::copy_n(head.lse, what_.length, lse_.data());
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < rows_.rows; ++i) {
        typename S::V sum{};
        for (std::size_t d = i * rows_.width; d < (i + 1) * rows_.width; d += S::kLanes)
          sum += S::load(&dout_rows_[d]) * S::load(&dq_[d]);
        delta_[i] = S::sum(sum);
      }
    });
  }

  // Queries from `first` on.
  void run_tile(std::size_t first) const {
    const std::size_t queries = first * rows_.width;
    scores_.transpose(&q_[queries]);
    slopes_.transpose(&dout_rows_[queries]);
    for (std::size_t j = 0; j <= first; j += kTile) {
      const std::size_t keys = j * rows_.width;
      const bool diagonal = j == first;
      scores_.score(&k_[keys], diagonal);
      if (diagonal) scores_.mask();
      slopes_.score(&v_[keys], diagonal);
      soften(first, diagonal);
      scores_.add_by_key(&dv_[keys], &dout_rows_[queries], diagonal);
      slopes_.add_by_key(&dk_[keys], &q_[queries], diagonal);
      slopes_.add_by_query(&dq_[queries], &k_[keys], diagonal);
    }
  }

  // Scores become probabilities, and slopes of probabilities those of scores.
  void soften(std::size_t first, bool diagonal) const {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < kTile; i += S::kLanes) {
        const auto lse = S::load(&lse_[first + i]), delta = S::load(&delta_[first + i]);
        for (std::size_t j = 0; j < Tile<W>::keys_of(i, diagonal); ++j) {
          const std::size_t at = j * kTile + i;
          const auto p = S::exp(S::load(&scores_.scores[at]) - lse);
          S::store(&scores_.scores[at], p);
          S::store(&slopes_.scores[at], p * (S::load(&slopes_.scores[at]) - delta));
        }
      }
    });
  }

  const Attention& what_;
  const T* dout_;
  const AttentionGradients& gradients_;
  HeadRows<T> rows_;
  W scale_;
  Scratch<W> q_{rows_.count()}, k_{rows_.count()}, v_{rows_.count()}, dout_rows_{rows_.count()};
  Scratch<W> dq_{rows_.count()}, dk_{rows_.count()}, dv_{rows_.count()};
  Scratch<W> lse_{rows_.rows}, delta_{rows_.rows};
  Tile<W> scores_, slopes_;
};

// Calls begin(head), body(head) of each query head that shares its keys, and end(head).
template <typename T, typename Begin, typename Body, typename End>
void each_group(const Attention& what, Begin begin, Body body, End end) {
  const std::size_t group = what.heads / what.kv_heads;
  for (std::size_t sequence = 0; sequence < what.batch; ++sequence)
    for (std::size_t first = 0; first < what.heads; first += group) {
      const Head<T> head(what, sequence, first);
      begin(head);
      for (std::size_t h = first; h < first + group; ++h) body(Head<T>(what, sequence, h));
      end(head);
    }
}

}  // namespace

void attention_forward(const Attention& what) {
  with_float(what.q.type, [&]<typename T>() {
    const Forward<T> forward(what);
    each_group<T>(
        what, [&](const auto& head) { forward.read_keys(head); },
        [&](const auto& head) { forward.run(head); }, [](const auto&) {});
  });
}

void attention_backward(const Attention& what, Array dout, const AttentionGradients& gradients) {
  with_float(what.q.type, [&]<typename T>() {
    const Backward<T> backward(what, dout, gradients);
    each_group<T>(
        what, [&](const auto& head) { backward.read_keys(head); },
        [&](const auto& head) { backward.run(head); },
        [&](const auto& head) { backward.write_keys(head); });
  });
}

}  // namespace linerate::cpu
