#include "model/wire_bytes.h"

#include "model/training_bytes.h"

#include <cstddef>
#include <span>

namespace linerate {
namespace {

std::uint64_t to_others(std::span<const Range> ranges, int rank) {
  std::uint64_t count = 0;
  for (std::size_t peer = 0; peer < ranges.size(); ++peer)
    if (static_cast<int>(peer) != rank) count += ranges[peer].count;
  return count;
}

}  // namespace

std::uint64_t wire_bytes(const Op& op, int rank, int nranks) {
  const auto others = static_cast<std::uint64_t>(nranks - 1);
  const auto bytes = static_cast<std::uint64_t>(bytes_of(op.type));
  switch (op.kind) {
    case OpKind::all_reduce:
      return bytes * all_reduce_sends(op.count, static_cast<std::uint64_t>(nranks));
    case OpKind::all_gather:
    case OpKind::reduce_scatter:
    case OpKind::all_to_all:
      return bytes * op.count * others;
    case OpKind::all_to_all_v:
      return bytes * to_others(op.send_ranges, rank);
    case OpKind::scatter:
      return rank == op.peer ? bytes * op.count * others : 0;
    case OpKind::broadcast:  // a chain: each rank but the last one sends all
    case OpKind::reduce:
      return nranks == 1 || rank == (op.peer + nranks - 1) % nranks ? 0 : bytes * op.count;
    case OpKind::gather:
      return rank == op.peer ? 0 : bytes * op.count;
    case OpKind::send:
    case OpKind::send_recv:
      return bytes * op.count;
    case OpKind::recv:
      return 0;
  }
  return 0;
}

}  // namespace linerate
