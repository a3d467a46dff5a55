// Every kind of call against a naive expectation, on any communicator: for tests of backends.
#pragma once

#include "comm/communicator.h"
#include "comm/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace linerate::naive {

// One call that all ranks make.
struct Trial {
  OpKind kind = OpKind::all_reduce;
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
  std::size_t count = 1;
  int root = 0;
  bool in_place = false;
};

inline std::string text_of(const Trial& t) {
  return fmt::format("{} of {} {} {} root {}{}", name_of(t.kind), t.count, name_of(t.type),
                     name_of(t.op), t.root, t.in_place ? " in place" : "");
}

// Small whole numbers: every result with up to 5 ranks is exact even in f8e5m2.
inline double value_of(const Trial& t, int rank, std::size_t index) {
  const auto mixed =
      (static_cast<unsigned>(rank) * 7919u + static_cast<unsigned>(index)) * 2654435761u;
  const unsigned bits = mixed >> 13;
  if (t.op == RedOp::prod) return 1 + bits % 2;
  return t.op == RedOp::min || t.op == RedOp::max ? bits % 4 : bits % 2;
}

inline void put(std::byte* base, DataType type, std::size_t index, double value) {
  with_type(type, [&]<typename T>() {
    const T element = static_cast<T>(static_cast<float>(value));
    std::memcpy(base + index * sizeof(T), &element, sizeof(T));
  });
}

inline double get(const std::byte* base, DataType type, std::size_t index) {
  return with_type(type, [&]<typename T>() {
    T element;
    std::memcpy(&element, base + index * sizeof(T), sizeof(T));
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<double>(element);
    else
      return static_cast<double>(static_cast<float>(element));
  });
}

inline double reduced(const Trial& t, int nranks, std::size_t index) {
  double result =
      t.op == RedOp::mulsum ? premul_of(0) * value_of(t, 0, index) : value_of(t, 0, index);
  for (int rank = 1; rank < nranks; ++rank) {
    const double v = value_of(t, rank, index);
    switch (t.op) {
      case RedOp::prod:
        result *= v;
        break;
      case RedOp::max:
        result = std::max(result, v);
        break;
      case RedOp::min:
        result = std::min(result, v);
        break;
      case RedOp::mulsum:
        result += premul_of(rank) * v;
        break;
      case RedOp::sum:
      case RedOp::avg:
        result += v;
        break;
    }
  }
  if (t.op != RedOp::avg) return result;
  result /= nranks;
  return row_of(t.type).floating ? result : std::trunc(result);
}

// The ranges of all_to_all_v: ragged, some empty, with a gap of one element before each.
inline std::size_t traffic(const Trial& t, int source, int dest) {
  return (static_cast<std::size_t>(source) + 2 * static_cast<std::size_t>(dest)) % 3 * t.count;
}

struct Layout {
  std::size_t sendcount = 0, recvcount = 0;
  std::size_t send_offset = 0, recv_offset = 0;  // in place
  std::vector<Range> send_ranges{}, recv_ranges{};
};

inline Layout layout_of(const Trial& t, int rank, int nranks) {
  const auto n = static_cast<std::size_t>(nranks);
  const std::size_t mine = static_cast<std::size_t>(rank) * t.count;
  switch (t.kind) {
    case OpKind::all_gather:
    case OpKind::gather:
      return {t.count, n * t.count, mine, 0, {}, {}};
    case OpKind::reduce_scatter:
    case OpKind::scatter:
      return {n * t.count, t.count, 0, mine, {}, {}};
    case OpKind::all_to_all:
      return {n * t.count, n * t.count, 0, 0, {}, {}};
    case OpKind::all_to_all_v: {
      Layout l;
      for (int peer = 0; peer < nranks; ++peer) {
        l.send_ranges.push_back({++l.sendcount, traffic(t, rank, peer)});
        l.sendcount += l.send_ranges.back().count;
        l.recv_ranges.push_back({++l.recvcount, traffic(t, peer, rank)});
        l.recvcount += l.recv_ranges.back().count;
      }
      return l;
    }
    default:
      return {t.count, t.count, 0, 0, {}, {}};
  }
}

// Element `i` that rank `rank` must hold; nothing where the call may leave anything or must not
// write.
inline std::optional<double> expected(const Trial& t, const Layout& l, int rank, int nranks,
                                      std::size_t i) {
  const std::size_t block_count = std::max<std::size_t>(t.count, 1);  // all_to_all_v has gaps of 1
  const int block = static_cast<int>(i / block_count);
  const std::size_t within = i % block_count;
  const std::size_t mine = static_cast<std::size_t>(rank) * t.count;
  switch (t.kind) {
    case OpKind::all_reduce:
      return reduced(t, nranks, i);
    case OpKind::reduce:
      return rank == t.root ? std::optional(reduced(t, nranks, i)) : std::nullopt;
    case OpKind::reduce_scatter:
      return reduced(t, nranks, mine + i);
    case OpKind::all_gather:
      return value_of(t, block, within);
    case OpKind::gather:
      return rank == t.root ? std::optional(value_of(t, block, within)) : std::nullopt;
    case OpKind::broadcast:
      return value_of(t, t.root, i);
    case OpKind::scatter:
      return value_of(t, t.root, mine + i);
    case OpKind::all_to_all:
      return value_of(t, block, mine + within);
    case OpKind::all_to_all_v:
      for (int source = 0; source < nranks; ++source) {
        const Range& range = l.recv_ranges[static_cast<std::size_t>(source)];
        if (i < range.offset || i >= range.offset + range.count) continue;
        const Layout theirs = layout_of(t, source, nranks);
        const auto from = theirs.send_ranges[static_cast<std::size_t>(rank)].offset;
        return value_of(t, source, from + i - range.offset);
      }
      return std::nullopt;
    case OpKind::send_recv:
      return value_of(t, (rank + nranks - 1) % nranks, i);
    case OpKind::send:
    case OpKind::recv: {
      const int partner = rank ^ 1;
      return partner < nranks ? std::optional(value_of(t, partner, i)) : std::nullopt;
    }
  }
  __builtin_unreachable();
}

inline void call(Communicator& comm, Stream& stream, const Trial& t, const Op& op) {
  const int n = comm.nranks();
  if (t.kind == OpKind::send || t.kind == OpKind::recv) {  // neighbours swap, lower rank first
    const int partner = comm.rank() ^ 1;
    if (partner >= n) return;
    Op first = op;
    first.peer = partner;
    Op second = first;
    first.kind = comm.rank() < partner ? OpKind::send : OpKind::recv;
    second.kind = comm.rank() < partner ? OpKind::recv : OpKind::send;
    comm.enqueue(first, stream);
    comm.enqueue(second, stream);
    return;
  }
  comm.enqueue(op, stream);
}

// Whether `got` may stand for `exact`: floating averages round on the way. A NaN never may.
inline bool matches(const Trial& t, double got, double exact) {
  if (t.op != RedOp::avg || !row_of(t.type).floating) return got == exact;
  const double slack = bytes_of(t.type) == 1 ? 0.25 : 0.0025;
  return std::abs(got - exact) <= slack * std::abs(exact);
}

// Makes the call and yields the first difference, or nothing. Collective over the communicator.
inline std::optional<std::string> difference(Communicator& comm, Stream& stream, const Trial& t) {
  constexpr std::byte kUntouched{0x5a};
  constexpr std::size_t kGuard = 64;  // bytes behind the buffers that nothing may write
  const int rank = comm.rank();
  const int n = comm.nranks();
  const std::size_t width = bytes_of(t.type);
  Layout l = layout_of(t, rank, n);
  if (!t.in_place) l.send_offset = l.recv_offset = 0;
  const std::size_t send_end = (l.sendcount + l.send_offset) * width;
  const std::size_t recv_end = (l.recvcount + l.recv_offset) * width;
  std::vector<std::byte> input(std::max(send_end, recv_end) + kGuard, kUntouched);
  std::vector<std::byte> output(recv_end + kGuard, kUntouched);
  for (std::size_t i = 0; i < l.sendcount; ++i)
    put(input.data(), t.type, l.send_offset + i, value_of(t, rank, i));
  auto& target = t.in_place ? input : output;

  Op op{.kind = t.kind,
        .count = t.count,
        .type = t.type,
        .op = t.op,
        .premul = premul_of(rank),
        .peer = t.root};
  op.send = ConstView(input).subspan(l.send_offset * width, l.sendcount * width);
  op.recv = View(target).subspan(l.recv_offset * width, l.recvcount * width);
  op.send_ranges = l.send_ranges;
  op.recv_ranges = l.recv_ranges;
  if (t.kind == OpKind::send_recv) {
    op.peer = (rank + 1) % n;
    op.source = (rank + n - 1) % n;
  }
  const auto before = target;
  call(comm, stream, t, op);

  for (std::size_t i = 0; i < l.recvcount; ++i) {
    const auto want = expected(t, l, rank, n, i);
    const auto* got_at = op.recv.data() + i * width;
    const std::size_t at = (l.recv_offset + i) * width;
    if (!want && std::memcmp(got_at, before.data() + at, width) != 0)
      return fmt::format("{}: rank {} of {}: element {} was written", text_of(t), rank, n, i);
    if (!want) continue;
    std::vector<std::byte> rounded(width);
    put(rounded.data(), t.type, 0, *want);
    const double got = get(got_at, t.type, 0);
    const double exact = get(rounded.data(), t.type, 0);
    if (!matches(t, got, exact))
      return fmt::format("{}: rank {} of {}: element {} is {}, not {}", text_of(t), rank, n, i, got,
                         exact);
  }
  if (std::memcmp(target.data() + target.size() - kGuard, before.data() + before.size() - kGuard,
                  kGuard) != 0)
    return fmt::format("{}: rank {} of {}: wrote behind its buffer", text_of(t), rank, n);
  return std::nullopt;
}

// Every kind x type, and operator where the kind reduces, and placement where it is defined;
// `visit` gets each trial. Yields how many there were.
template <typename Visit>
std::size_t for_each_trial(int nranks, std::size_t count, Visit visit) {
  std::size_t ntrials = 0;
  for (int k = 0; k <= static_cast<int>(OpKind::send_recv); ++k) {
    const auto kind = static_cast<OpKind>(k);
    const bool reduces =
        kind == OpKind::all_reduce || kind == OpKind::reduce || kind == OpKind::reduce_scatter;
    const bool in_place_too = kind != OpKind::all_to_all_v && kind != OpKind::send &&
                              kind != OpKind::recv && kind != OpKind::send_recv;
    for (const auto& type : kDataTypes)
      for (const auto& op : kRedOps)
        for (const bool in_place : {false, true}) {
          if ((!reduces && op.op != RedOp::sum) || (in_place && !in_place_too)) continue;
          visit(Trial{.kind = kind,
                      .type = type.type,
                      .op = op.op,
                      .count = count,
                      .root = nranks - 1,
                      .in_place = in_place});
          ++ntrials;
        }
  }
  return ntrials;
}

}  // namespace linerate::naive
