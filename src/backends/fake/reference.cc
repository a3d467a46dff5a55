// Data goes straight from send to recv buffers; only exchanges in place need copies of inputs.
#include "backends/fake/reference.h"

#include "base/error.h"
#include "devices/cpu/reduce.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>
#include <string_view>
#include <vector>

namespace linerate::fake {
namespace {

void require(bool good, const Op& op, int rank, std::string_view what) {
  if (!good) throw Error(fmt::format("{} on rank {}: {}.", name_of(op.kind), rank, what));
}

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

// One collective while its data moves, straight from send to recv buffers.
class Movement {
 public:
  explicit Movement(std::span<const Op* const> calls) : calls_(calls) {
    for (const Op* op : calls) inputs_.push_back(op->send.data());
  }

  int nranks() const { return static_cast<int>(calls_.size()); }
  const Op& op(int rank) const { return *calls_[index(rank)]; }
  std::size_t block() const { return op(0).count * bytes_of(op(0).type); }
  const std::byte* input(int rank) const { return inputs_[index(rank)]; }
  std::byte* output(int rank) const { return op(rank).recv.data(); }

  // Copies all inputs into `scratch`: for collectives that, in place, write to inputs before they
  // are read.
  void keep_inputs(std::vector<std::byte>& scratch) {
    std::size_t end = 0;
    for (int rank = 0; rank < nranks(); ++rank) end += input_bytes(rank);
    if (scratch.size() < end) scratch.resize(end);
    std::byte* to = scratch.data();
    for (int rank = 0; rank < nranks(); ++rank) {
      if (input_bytes(rank) > 0) std::memcpy(to, input(rank), input_bytes(rank));
      inputs_[index(rank)] = to;
      to += input_bytes(rank);
    }
  }

  // `bytes` at `from` go to recv + to on rank `dest`; in place they may be there already.
  void copy(const std::byte* from, std::size_t bytes, int dest, std::size_t to) const {
    if (bytes > 0 && from != output(dest) + to) std::memcpy(output(dest) + to, from, bytes);
  }

  // The reduction of the inputs' blocks from byte `from` on becomes the start of recv on rank
  // `dest`, whose own block may lie there.
  void reduce_block(std::size_t from, int dest) const {
    std::vector<const std::byte*> sources;
    std::vector<double> premuls;
    for (int rank = 0; rank < nranks(); ++rank) {
      sources.push_back(input(rank) + from);
      if (op(0).op == RedOp::mulsum) premuls.push_back(op(rank).premul);
    }
    reduce(output(dest), sources, op(0).count,
           {.type = op(0).type, .op = op(0).op, .nranks = nranks(), .premuls = premuls});
  }

 private:
  std::size_t input_bytes(int rank) const { return extent_of(op(rank), rank, nranks()).send; }

  std::span<const Op* const> calls_;
  std::vector<const std::byte*> inputs_;
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
      if (from.count > 0)  // else there may be no buffer
        m.copy(m.input(source) + from.offset * width, from.count * width, dest, to.offset * width);
    }
}

void move_reduction(Movement& m) {
  switch (m.op(0).kind) {
    case OpKind::reduce:
      return m.reduce_block(0, m.op(0).peer);
    case OpKind::reduce_scatter:
      for (int dest = 0; dest < m.nranks(); ++dest) m.reduce_block(index(dest) * m.block(), dest);
      return;
    default:
      m.reduce_block(0, 0);
      for (int dest = 1; dest < m.nranks(); ++dest) m.copy(m.output(0), m.block(), dest, 0);
  }
}

// Block `from` of rank `source`'s input becomes block `to` of rank `dest`'s output.
struct BlockMove {
  int source, from, dest, to;
};

void move_block(Movement& m, const BlockMove& b) {
  m.copy(m.input(b.source) + index(b.from) * m.block(), m.block(), b.dest, index(b.to) * m.block());
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

void move_data(std::span<const Op* const> calls, std::vector<std::byte>& scratch) {
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
      m.keep_inputs(scratch);
      for (int source = 0; source < n; ++source)
        for (int dest = 0; dest < n; ++dest) move_block(m, {source, dest, dest, source});
      break;
    case OpKind::all_to_all_v:
      m.keep_inputs(scratch);
      move_all_to_all_v(m);
      break;
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      assert(false && "messages are matched in pairs");
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
