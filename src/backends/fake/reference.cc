// See reference.h.
#include "backends/fake/reference.h"

#include "base/error.h"
#include "devices/cpu/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string_view>
#include <vector>

namespace linerate::fake {
namespace {

using Data = std::vector<std::byte>;

void require(bool good, const Op& op, int rank, std::string_view what) {
  if (!good) throw Error(fmt::format("{} on rank {}: {}.", name_of(op.kind), rank, what));
}

// One collective while its data moves: inputs are copied first, so that in place needs no thought.
class Movement {
 public:
  explicit Movement(std::span<const Op* const> calls) : calls_(calls) {
    for (int rank = 0; rank < nranks(); ++rank) {
      const auto bytes = extent_of(op(rank), rank, nranks()).send;
      inputs_.emplace_back(op(rank).send.data(), op(rank).send.data() + bytes);
    }
  }

  int nranks() const { return static_cast<int>(calls_.size()); }
  const Op& op(int rank) const { return *calls_[static_cast<std::size_t>(rank)]; }
  std::size_t block() const { return op(0).count * bytes_of(op(0).type); }

  // Bytes [from, from + bytes) of `source` go to recv + to on rank `dest`.
  void copy(const Data& source, std::size_t from, std::size_t bytes, int dest, std::size_t to) {
    if (bytes > 0) std::memcpy(op(dest).recv.data() + to, source.data() + from, bytes);
  }
  const Data& input(int rank) const { return inputs_[static_cast<std::size_t>(rank)]; }

  Data reduction() const {
    std::vector<const std::byte*> sources;
    std::vector<double> premuls;
    for (int rank = 0; rank < nranks(); ++rank) {
      sources.push_back(input(rank).data());
      if (op(0).op == RedOp::mulsum) premuls.push_back(op(rank).premul);
    }
    Data result(input(0).size());
    reduce(result.data(), sources, result.size() / bytes_of(op(0).type),
           {.type = op(0).type, .op = op(0).op, .nranks = nranks(), .premuls = premuls});
    return result;
  }

 private:
  std::span<const Op* const> calls_;
  std::vector<Data> inputs_;
};

void check_agreement(std::span<const Op* const> calls) {
  const Op& first = *calls[0];
  for (std::size_t rank = 1; rank < calls.size(); ++rank) {
    const Op& op = *calls[rank];
    if (op.kind != first.kind || op.type != first.type || op.op != first.op ||
        op.count != first.count || op.peer != first.peer)
      throw Error(fmt::format(
          "The ranks called different things: rank 0 {} of {} {} with root {}, rank {} {} of {} {} "
          "with root {}.",
          name_of(first.kind), first.count, name_of(first.type), first.peer, rank, name_of(op.kind),
          op.count, name_of(op.type), op.peer));
  }
}

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

void move_all_to_all_v(Movement& m) {
  const std::size_t width = bytes_of(m.op(0).type);
  for (int source = 0; source < m.nranks(); ++source)
    for (int dest = 0; dest < m.nranks(); ++dest) {
      const Range& from = m.op(source).send_ranges[index(dest)];
      const Range& to = m.op(dest).recv_ranges[index(source)];
      if (from.count != to.count)
        throw Error(
            fmt::format("all_to_all_v: rank {} sends {} elements to rank {}, which expects {}.",
                        source, from.count, dest, to.count));
      m.copy(m.input(source), from.offset * width, from.count * width, dest, to.offset * width);
    }
}

void move_reduction(Movement& m) {
  const Data result = m.reduction();
  const OpKind kind = m.op(0).kind;
  for (int dest = 0; dest < m.nranks(); ++dest) {
    if (kind == OpKind::reduce && dest != m.op(0).peer) continue;
    const std::size_t from = kind == OpKind::reduce_scatter ? index(dest) * m.block() : 0;
    m.copy(result, from, m.block(), dest, 0);
  }
}

// Block `from` of rank `source`'s input becomes block `to` of rank `dest`'s output.
struct BlockMove {
  int source, from, dest, to;
};

void move_block(Movement& m, const BlockMove& b) {
  m.copy(m.input(b.source), index(b.from) * m.block(), m.block(), b.dest, index(b.to) * m.block());
}

}  // namespace

void check_call(const Op& op, int rank, int nranks) {
  require(op.peer >= 0 && op.peer < nranks, op, rank, "there is no such root or peer");
  require(op.source >= 0 && op.source < nranks, op, rank, "there is no such source");
  if (op.kind == OpKind::all_to_all_v)
    require(op.send_ranges.size() == index(nranks) && op.recv_ranges.size() == index(nranks), op,
            rank, "it needs one range for each rank");
  const auto extent = extent_of(op, rank, nranks);
  require(op.send.size() >= extent.send, op, rank, "the send buffer is too small");
  require(op.recv.size() >= extent.recv, op, rank, "the receive buffer is too small");
}

void move_data(std::span<const Op* const> calls) {
  check_agreement(calls);
  Movement m(calls);
  const int n = m.nranks();
  const int root = m.op(0).peer;
  switch (m.op(0).kind) {
    case OpKind::all_reduce:
    case OpKind::reduce:
    case OpKind::reduce_scatter:
      move_reduction(m);
      break;
    case OpKind::all_gather:
      for (int source = 0; source < n; ++source)
        for (int dest = 0; dest < n; ++dest) move_block(m, {source, 0, dest, source});
      break;
    case OpKind::broadcast:
      for (int dest = 0; dest < n; ++dest) move_block(m, {root, 0, dest, 0});
      break;
    case OpKind::gather:
      for (int source = 0; source < n; ++source) move_block(m, {source, 0, root, source});
      break;
    case OpKind::scatter:
      for (int dest = 0; dest < n; ++dest) move_block(m, {root, dest, dest, 0});
      break;
    case OpKind::all_to_all:
      for (int source = 0; source < n; ++source)
        for (int dest = 0; dest < n; ++dest) move_block(m, {source, dest, dest, source});
      break;
    case OpKind::all_to_all_v:
      move_all_to_all_v(m);
      break;
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      assert(!"messages are matched in pairs");
  }
}

View received(const Op& op, int rank, int nranks) {
  if (op.kind != OpKind::all_to_all_v) return op.recv.first(extent_of(op, rank, nranks).recv);
  const std::size_t width = bytes_of(op.type);
  for (const auto& range : op.recv_ranges)
    if (range.count > 0) return op.recv.subspan(range.offset * width, range.count * width);
  return {};
}

}  // namespace linerate::fake
