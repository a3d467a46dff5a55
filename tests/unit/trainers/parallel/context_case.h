// Attention whose sequences are cut among ranks, threads of the host backend: what all of them
// computed, put together again, and what each sent.
#pragma once

#include "backends/host/host_backend.h"
#include "base/clock.h"
#include "support/ranks.h"
#include "trainers/parallel/ring_attention.h"
#include "trainers/parallel/ulysses.h"
#include "unit/devices/math/attention_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace linerate::trainers {

using math_test::AttentionShape;
using math_test::Tensor;
using math_test::Values;

enum class Way { ring, zigzag_ring, ulysses, zigzag_ulysses };
inline constexpr Way kWays[] = {Way::ring, Way::zigzag_ring, Way::ulysses, Way::zigzag_ulysses};

struct ContextCase {
  AttentionShape shape{};
  DataType type = DataType::float64;
  Way way = Way::ring;
  std::size_t ranks = 1, leaves = 0;
  StreamKind compute = StreamKind::own;

  ContextLayout layout() const {
    const bool zigzag = way == Way::zigzag_ring || way == Way::zigzag_ulysses;
    return {.split = {.length = shape.length, .ranks = ranks, .zigzag = zigzag},
            .exchanges_heads = way == Way::ulysses || way == Way::zigzag_ulysses,
            .leaves = leaves,
            .batch = shape.batch,
            .heads = shape.heads,
            .kv_heads = shape.kv_heads,
            .head = shape.head,
            .element = bytes_of(type)};
  }
  std::string text() const {
    return "way " + std::to_string(static_cast<int>(way)) + " of " + std::to_string(ranks) +
           " ranks, length " + std::to_string(shape.length) + ", type " +
           std::string(name_of(type));
  }
};

struct ContextResult {
  Values out{}, dqkv{};
  std::vector<ContextBytes> sent{}, scratch{};  // by rank

  bool has_bits_of(const ContextResult& other) const {
    const auto same = [](const Values& a, const Values& b) {
      return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>,
                                std::bit_cast<std::uint64_t, double>);
    };
    return same(out, other.out) && same(dqkv, other.dqkv);
  }
};

inline Values context_qkv(const AttentionShape& shape) {
  return math_test::random_values(shape.qkv_count(), 1, 1.5);
}
inline Values context_dout(const AttentionShape& shape) {
  return math_test::random_values(shape.out_count(), 2);
}

// Rows of a tensor of whole sequences, and of a rank's: calls body(whole, local) with each one's
// first element.
template <typename Body>
void each_row(const ContextCase& of, std::size_t rank, std::size_t columns, Body body) {
  const auto positions = of.layout().split.positions(rank);
  for (std::size_t s = 0; s < of.shape.batch; ++s)
    for (std::size_t i = 0; i < positions.size(); ++i)
      body((s * of.shape.length + static_cast<std::size_t>(positions[i])) * columns,
           (s * positions.size() + i) * columns);
}
inline Values rows_of_rank(const ContextCase& of, std::size_t rank, const Values& whole) {
  const auto columns = whole.size() / (of.shape.batch * of.shape.length);
  Values rows(whole.size() / of.ranks);
  each_row(of, rank, columns, [&](std::size_t from, std::size_t to) {
    std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(from), columns,
                rows.begin() + static_cast<std::ptrdiff_t>(to));
  });
  return rows;
}
inline void put_rows(const ContextCase& of, std::size_t rank, Values& whole, const Values& rows) {
  const auto columns = whole.size() / (of.shape.batch * of.shape.length);
  each_row(of, rank, columns, [&](std::size_t to, std::size_t from) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from), columns,
                whole.begin() + static_cast<std::ptrdiff_t>(to));
  });
}

// A rank's part, into its rows of `result`.
inline void run_context_rank(const ContextCase& of, RankOfBackend& on, ContextResult& result) {
  const auto rank = static_cast<std::size_t>(on.number());
  auto shape = of.shape;
  shape.length /= of.ranks;
  math_test::AttentionCase at(shape, of.type, rows_of_rank(of, rank, context_qkv(of.shape)));
  Tensor dout(of.type, rows_of_rank(of, rank, context_dout(of.shape)));
  const auto math = make_cpu_math();
  const auto compute = on.device.open_stream(of.compute);
  Axis axis("cp", on.comm);
  Arena arena(on.comm);
  const ContextTools tools{axis, *math, *compute, arena, of.layout().split, of.leaves};
  const auto mine = at.attention();
  const Array dq = at.dqkv.array(), dk = dq.from(shape.heads * shape.head),
              dv = dk.from(shape.kv_heads * shape.head);
  const AttentionSlopes slopes{dout.array(), dq, dk, dv};

  if (of.layout().exchanges_heads) {
    const HeadsOfSequences saved(tools, mine);
    ulysses_forward(tools, mine, saved);
    result.scratch[rank].forward = arena.bytes(Category::comm).peak;
    ulysses_backward(tools, mine, saved, slopes);
    compute->synchronize(Deadline::never());
  } else {
    ring_attention_forward(tools, mine);
    result.scratch[rank].forward = arena.bytes(Category::comm).peak;
    ring_attention_backward(tools, mine, slopes);
    compute->synchronize(Deadline::never());
  }
  result.scratch[rank].backward = arena.bytes(Category::comm).peak;
  axis.stream().synchronize(Deadline::never());
  put_rows(of, rank, result.out, at.out.values());
  put_rows(of, rank, result.dqkv, at.dqkv.values());
  auto sent = axis.comm().bytes();
  result.sent[rank] = {sent[{"cp", "attention forward"}], sent[{"cp", "attention backward"}]};
  EXPECT_EQ(sent.size(), 2u);
  on.comm.barrier();
}

inline ContextResult run_context(const ContextCase& of) {
  SCOPED_TRACE(of.text());
  ContextResult result{Values(of.shape.out_count(), -1), Values(of.shape.qkv_count(), -1),
                       std::vector<ContextBytes>(of.ranks), std::vector<ContextBytes>(of.ranks)};
  const SteadyClock clock;
  const auto backend = make_host_backend(clock);
  run_ranks(*backend, static_cast<int>(of.ranks),
            [&](RankOfBackend& on) { run_context_rank(of, on, result); });
  return result;
}

}  // namespace linerate::trainers
