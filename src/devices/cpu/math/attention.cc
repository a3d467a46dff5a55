// Attention, head by head, in tiles of scores that stay in the first-level cache.
//
// A tile is held transposed, a row for each key and a lane for each query, so that the softmax
// works on whole vectors: S^T = K Q^T. Queries, keys and values of a head are widened into matrices
// of their own first, padded with zeros to whole vectors, and queries to whole tiles. Sums go on in
// memory from tile to tile, and so from one block of keys to the next.
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/product.h"
#include "devices/cpu/math/vector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace linerate::cpu {
namespace {

constexpr std::size_t kTile = kAttentionTile;
constexpr std::size_t kAhead = 16;  // positions that are asked for before they are read

template <typename W>
constexpr W kInfinity = std::numeric_limits<W>::infinity();

// The elements of one query head of one sequence.
template <typename T>
struct Head {
  Head(const AttentionBlock& block, std::size_t sequence, std::size_t h) {
    const Attention& of = block.of;
    const auto& [queries, keys] = std::tie(block.queries, block.keys);
    const std::size_t row = sequence * queries.length + queries.first;
    query = row * of.stride + h * of.head;
    key = (sequence * keys.length + keys.first) * block.kv_stride +
          h * of.kv_heads / of.heads * of.head;
    out = (row * of.heads + h) * of.head;
    scalar = (sequence * of.heads + h) * queries.length + queries.first;
  }
  std::size_t query, key, out, scalar;  // of the first position's first element
};

// Rows of a head's matrix, [row][element], padded to whole vectors.
template <typename W>
struct HeadRows {
  explicit HeadRows(std::size_t head_size) : head(head_size), width(padded(head_size, kLine<W>)) {}

  // `stride` elements of `from` lie between two positions: too far for the processor to see what
  // comes next.
  template <typename T>
  void widen(W* to, const T* from, std::size_t stride, std::size_t rows, W factor = 1) const {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < rows; ++i) {
        const T* const soon = from + std::min(i + kAhead, rows - 1) * stride;
        for (std::size_t d = 0; d < head; d += kLine<T>) __builtin_prefetch(soon + d);
        std::fill_n(to + i * width + head, width - head, W(0));
        each_vector<S>(head, [&](std::size_t d, std::size_t lanes) LINERATE_KERNEL {
          S::store(to + i * width + d, S::load(from + i * stride + d, lanes) * factor, lanes);
        });
      }
    });
  }
  template <typename T>
  void narrow(T* to, std::size_t stride, const W* from, std::size_t rows, W factor = 1) const {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < rows; ++i)
        each_vector<S>(head, [&](std::size_t d, std::size_t lanes) LINERATE_KERNEL {
          S::store(to + i * stride + d, S::load(from + i * width + d) * factor, lanes);
        });
    });
  }
  void add_to(W* to, std::size_t stride, const W* from, std::size_t rows) const {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < rows; ++i)
        each_vector<S>(head, [&](std::size_t d, std::size_t lanes) LINERATE_KERNEL {
          W* const at = to + i * stride + d;
          S::store(at, S::load(at, lanes) + S::load(from + i * width + d), lanes);
        });
    });
  }
  // Of the tiles that hold `rows` rows.
  std::size_t count(std::size_t rows) const { return padded(rows, kTile) * width; }

  std::size_t head, width;
};

// A tile's queries, in lanes, and keys, and who sees whom: query i sees key j <= i + ahead. Work
// goes in steps of kStep rows, of which each leaves out what none of them needs.
struct Seen {
  std::size_t lanes, keys;  // lanes: a multiple of kStep
  std::ptrdiff_t ahead;     // positions from the first key to the first query

  bool all() const { return static_cast<std::ptrdiff_t>(keys) <= ahead + 1; }
  // The first lane of those that see key `key`, or one of those behind it in its step.
  std::size_t first_lane(std::size_t key) const {
    const auto first = static_cast<std::ptrdiff_t>(key / kStep * kStep) - ahead;
    return first <= 0 ? 0 : static_cast<std::size_t>(first) / kStep * kStep;
  }
  // Keys of the steps that reach `lane`.
  std::size_t keys_of(std::size_t lane) const {
    const auto end = static_cast<std::ptrdiff_t>(lane / kStep * kStep + kStep) + ahead;
    return end <= 0 ? 0 : std::min(keys, padded(static_cast<std::size_t>(end), kStep));
  }

  static constexpr std::size_t kStep = 16;
};

// The tile of `block` from this query and this key on: it ends where a leaf of keys does.
Seen seen_of(const AttentionBlock& block, std::size_t query, std::size_t key) {
  const std::size_t lanes = std::min(kTile, padded(block.queries.count - query, Seen::kStep));
  const std::size_t position = block.keys.position + key;
  std::size_t keys = std::min(kTile, block.keys.count - key);
  if (block.leaf > 0) keys = std::min(keys, block.leaf - position % block.leaf);
  return {lanes, keys,
          static_cast<std::ptrdiff_t>(block.queries.position + query) -
              static_cast<std::ptrdiff_t>(position)};
}

// Calls body(key, tile) for each tile of keys that one of the queries of a tile sees.
template <typename Body>
void each_tile_of_keys(const AttentionBlock& block, std::size_t query, Body body) {
  const std::size_t last = block.queries.position + std::min(query + kTile, block.queries.count);
  for (std::size_t key = 0; key < block.keys.count && block.keys.position + key < last;) {
    const Seen tile = seen_of(block, query, key);
    body(key, tile);
    key += tile.keys;
  }
}

// What is done with one tile of scores, [key][query].
template <typename W>
struct Tile {
  explicit Tile(std::size_t width_of_rows)
      : width(width_of_rows), scores(kTile * kTile), transposed(kTile * width) {}

  void transpose(const W* rows) const {
    for (std::size_t i = 0; i < kTile; ++i)
      for (std::size_t d = 0; d < width; ++d) transposed[d * kTile + i] = rows[i * width + d];
  }
  // scores = the tile's `rows` times what is transposed.
  void score(const W* rows, const Seen& seen) const {
    each_step_of_keys(seen, [&](std::size_t key, std::size_t count, std::size_t query) {
      multiply<W>({.m = count,
                   .n = seen.lanes - query,
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
  void mask(const Seen& seen) const {
    if (seen.all()) return;
    for (std::size_t j = 0; j < seen.keys; ++j) {
      const auto hidden = static_cast<std::ptrdiff_t>(j) - seen.ahead;
      const std::size_t first = seen.first_lane(j);
      const std::size_t last =
          std::min(seen.lanes, static_cast<std::size_t>(std::max<std::ptrdiff_t>(hidden, 0)));
      if (first < last) std::fill_n(&scores[j * kTile + first], last - first, -kInfinity<W>);
    }
  }
  // sums += scores times `rows`: a row of sums for each key, or for each query.
  void add_by_key(W* sums, const W* rows, const Seen& seen) const {
    each_step_of_keys(seen, [&](std::size_t key, std::size_t count, std::size_t query) {
      add(sums + key * width, rows + query * width,
          {.m = count, .k = seen.lanes - query, .a = scores.data() + key * kTile + query});
    });
  }
  void add_by_query(W* sums, const W* rows, const Seen& seen) const {
    const std::size_t step = seen.all() ? seen.lanes : Seen::kStep;
    for (std::size_t query = 0; query < seen.lanes; query += step)
      add(sums + query * width, rows,
          {.m = step, .k = seen.keys_of(query), .a = scores.data() + query, .a_column = kTile});
  }

  std::size_t width;
  Scratch<W> scores, transposed;

 private:
  // Calls body(first key, keys, first query that they need).
  template <typename Body>
  static void each_step_of_keys(const Seen& seen, Body body) {
    if (seen.all()) return body(0, seen.keys, 0);
    for (std::size_t key = 0; key < seen.keys; key += Seen::kStep) {
      const std::size_t query = seen.first_lane(key);
      if (query < seen.lanes) body(key, std::min(Seen::kStep, seen.keys - key), query);
    }
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
  void take(const Tile<W>& tile, W* out, const Seen& seen) {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < seen.lanes; i += S::kLanes)
        take_lanes<S>(tile.scores.data() + i, i, seen.keys_of(i));
      for (std::size_t i = 0; i < seen.lanes; ++i)
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

  explicit Forward(const AttentionBlock& block)
      : block_(block),
        of_(block.of),
        rows_(of_.head),
        q_(rows_.count(block.queries.count)),
        k_(rows_.count(block.keys.count)),
        v_(rows_.count(block.keys.count)),
        out_(kTile * rows_.width),
        tile_(rows_.width) {}

  void read_keys(const Head<T>& head) const {
    const std::size_t keys = block_.keys.count;
    rows_.widen(k_.data(), elements<T>(of_.k) + head.key, block_.kv_stride, keys);
    rows_.widen(v_.data(), elements<T>(of_.v) + head.key, block_.kv_stride, keys);
  }
  void run(const Head<T>& head) const {
    const std::size_t queries = block_.queries.count;
    std::fill_n(q_.data(), rows_.count(queries), W(0));
    rows_.widen(q_.data(), elements<T>(of_.q) + head.query, of_.stride, queries,
                W(1) / std::sqrt(static_cast<W>(of_.head)));
    for (std::size_t i = 0; i < queries; i += kTile) run_tile(head, i);
  }

 private:
  // Queries from `first` on.
  void run_tile(const Head<T>& head, std::size_t first) const {
    const std::size_t count = std::min(kTile, block_.queries.count - first);
    const std::size_t stride = of_.heads * of_.head, at = head.out + first * stride;
    const std::size_t scalar = head.scalar + first;
    W* const most = elements<W>(of_.lse) + scalar;
    Running<W> running;
    std::fill_n(out_.data(), kTile * rows_.width, W(0));
    if (!block_.begins) {
      std::copy_n(most, count, running.most);
      std::copy_n(elements<W>(block_.sum) + scalar, count, running.sum);
      rows_.widen(out_.data(), elements<W>(block_.sums) + at, stride, count);
    }
    take_keys(running, first);
    for (std::size_t i = 0; block_.ends && i < count; ++i) {
      most[i] = running.most[i] + std::log(running.sum[i]);
      rows_.narrow(elements<T>(of_.o) + at + i * stride, stride, &out_[i * rows_.width], 1,
                   W(1) / running.sum[i]);
    }
    if (block_.ends) return;
    std::copy_n(running.most, count, most);
    std::copy_n(running.sum, count, elements<W>(block_.sum) + scalar);
    rows_.narrow(elements<W>(block_.sums) + at, stride, out_.data(), count);
  }
  void take_keys(Running<W>& running, std::size_t first) const {
    tile_.transpose(&q_[first * rows_.width]);
    each_tile_of_keys(block_, first, [&](std::size_t key, const Seen& seen) {
      tile_.score(&k_[key * rows_.width], seen);
      tile_.mask(seen);
      running.take(tile_, out_.data(), seen);
      tile_.add_by_query(out_.data(), &v_[key * rows_.width], seen);
    });
  }

  const AttentionBlock& block_;
  const Attention& of_;
  HeadRows<W> rows_;
  Scratch<W> q_, k_, v_, out_;
  Tile<W> tile_;
};

// Probabilities are computed once more from the saved log-sum-exp, and the slope of a score needs
// one sum for each query, of its output times the gradient of that (Dao 2023, algorithm 2).
template <typename T>
class Backward {
 public:
  using W = Wide<T>;

  Backward(const AttentionBlock& block, const AttentionGradients& gradients)
      : block_(block),
        of_(block.of),
        gradients_(gradients),
        rows_(of_.head),
        scale_(W(1) / std::sqrt(static_cast<W>(of_.head))),
        scores_(rows_.width),
        slopes_(rows_.width) {}

  void read_keys(const Head<T>& head) const {
    rows_.widen(k_.data(), elements<T>(of_.k) + head.key, block_.kv_stride, keys_);
    rows_.widen(v_.data(), elements<T>(of_.v) + head.key, block_.kv_stride, keys_);
    std::fill_n(dk_.data(), rows_.count(keys_), W(0));
    std::fill_n(dv_.data(), rows_.count(keys_), W(0));
  }
  void run(const Head<T>& head) const {
    const std::size_t stride = of_.heads * of_.head;
    const auto sums = [&] { return elements<W>(block_.sums) + head.out; };
    for (const auto* padding : {&q_, &dout_, &dq_})
      std::fill_n(padding->data(), rows_.count(queries_), W(0));
    rows_.widen(q_.data(), elements<T>(of_.q) + head.query, of_.stride, queries_, scale_);
    rows_.widen(dout_.data(), elements<T>(gradients_.dout) + head.out, stride, queries_);
    rows_.widen(dq_.data(), elements<T>(of_.o) + head.out, stride, queries_);
    read_queries(head);
    std::fill_n(dq_.data(), rows_.count(queries_), W(0));
    if (!block_.begins) rows_.widen(dq_.data(), sums(), stride, queries_);
    for (std::size_t i = 0; i < queries_; i += kTile) run_tile(i);
    if (!block_.ends) return rows_.narrow(sums(), stride, dq_.data(), queries_);
    rows_.narrow(elements<T>(gradients_.dq) + head.query, of_.stride, dq_.data(), queries_, scale_);
  }
  void write_keys(const Head<T>& head) const {
    for (const auto& [sums, to] : {std::pair(&dk_, gradients_.dk), std::pair(&dv_, gradients_.dv)})
      if (gradients_.adds)
        rows_.add_to(elements<W>(to) + head.key, block_.kv_stride, sums->data(), keys_);
      else
        rows_.narrow(elements<T>(to) + head.key, block_.kv_stride, sums->data(), keys_);
  }

 private:
  // Padding has an infinite lse, so that its probabilities are 0. dq_ holds the outputs.
  void read_queries(const Head<T>& head) const {
    std::fill_n(lse_.data(), padded(queries_, kTile), kInfinity<W>);
    std::copy_n(elements<W>(of_.lse) + head.scalar, queries_, lse_.data());
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < padded(queries_, kTile); ++i) {
        typename S::V sum{};
        for (std::size_t d = i * rows_.width; d < (i + 1) * rows_.width; d += S::kLanes)
          sum += S::load(&dout_[d]) * S::load(&dq_[d]);
        delta_[i] = S::sum(sum);
      }
    });
  }

  // Queries from `first` on.
  void run_tile(std::size_t first) const {
    const std::size_t queries = first * rows_.width;
    scores_.transpose(&q_[queries]);
    slopes_.transpose(&dout_[queries]);
    each_tile_of_keys(block_, first, [&](std::size_t key, const Seen& seen) {
      const std::size_t keys = key * rows_.width;
      scores_.score(&k_[keys], seen);
      scores_.mask(seen);
      slopes_.score(&v_[keys], seen);
      soften(first, seen);
      scores_.add_by_key(&dv_[keys], &dout_[queries], seen);
      slopes_.add_by_key(&dk_[keys], &q_[queries], seen);
      slopes_.add_by_query(&dq_[queries], &k_[keys], seen);
    });
  }

  // Scores become probabilities, and slopes of probabilities those of scores.
  void soften(std::size_t first, const Seen& seen) const {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t i = 0; i < seen.lanes; i += S::kLanes) {
        const auto lse = S::load(&lse_[first + i]), delta = S::load(&delta_[first + i]);
        for (std::size_t j = 0; j < seen.keys_of(i); ++j) {
          const std::size_t at = j * kTile + i;
          const auto p = S::exp(S::load(&scores_.scores[at]) - lse);
          S::store(&scores_.scores[at], p);
          S::store(&slopes_.scores[at], p * (S::load(&slopes_.scores[at]) - delta));
        }
      }
    });
  }

  const AttentionBlock& block_;
  const Attention& of_;
  const AttentionGradients& gradients_;
  HeadRows<W> rows_;
  W scale_;
  const std::size_t queries_ = block_.queries.count, keys_ = block_.keys.count;
  Scratch<W> q_{rows_.count(queries_)}, dout_{rows_.count(queries_)}, dq_{rows_.count(queries_)};
  Scratch<W> k_{rows_.count(keys_)}, v_{rows_.count(keys_)};
  Scratch<W> dk_{rows_.count(keys_)}, dv_{rows_.count(keys_)};
  Scratch<W> lse_{padded(queries_, kTile)}, delta_{padded(queries_, kTile)};
  Tile<W> scores_, slopes_;
};

// Calls begin(head), body(head) of each query head that shares its keys, and end(head).
template <typename T, typename Begin, typename Body, typename End>
void each_group(const AttentionBlock& block, Begin begin, Body body, End end) {
  const std::size_t group = block.of.heads / block.of.kv_heads;
  for (std::size_t sequence = 0; sequence < block.of.batch; ++sequence)
    for (std::size_t first = 0; first < block.of.heads; first += group) {
      const Head<T> head(block, sequence, first);
      begin(head);
      for (std::size_t h = first; h < first + group; ++h) body(Head<T>(block, sequence, h));
      end(head);
    }
}

}  // namespace

void attention_forward(const AttentionBlock& block) {
  with_float(block.of.q.type, [&]<typename T>() {
    const Forward<T> forward(block);
    each_group<T>(
        block, [&](const auto& head) { forward.read_keys(head); },
        [&](const auto& head) { forward.run(head); }, [](const auto&) {});
  });
}

void attention_backward(const AttentionBlock& block, const AttentionGradients& gradients) {
  with_float(block.of.q.type, [&]<typename T>() {
    const Backward<T> backward(block, gradients);
    each_group<T>(
        block, [&](const auto& head) { backward.read_keys(head); },
        [&](const auto& head) { backward.run(head); },
        [&](const auto& head) { backward.write_keys(head); });
  });
}

}  // namespace linerate::cpu
